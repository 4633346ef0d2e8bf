"""What opens a document and completes in it, read and written without cattrs.

The converter of LSP's types takes 15 ms to make, which the first completion need not wait for. What
is not read here is left to the converter: every message has one meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types


def _opened(params: Any) -> types.DidOpenTextDocumentParams:
    item = params["textDocument"]
    return types.DidOpenTextDocumentParams(
        types.TextDocumentItem(item["uri"], item["languageId"], item["version"], item["text"])
    )


def _asked(params: Any) -> types.CompletionParams:
    if params.keys() - {"textDocument", "position", "context"}:
        raise ValueError
    position, context = params["position"], params.get("context")
    return types.CompletionParams(
        types.TextDocumentIdentifier(params["textDocument"]["uri"]),
        types.Position(position["line"], position["character"]),
        None if context is None else _context(context),
    )


def _context(context: Any) -> types.CompletionContext:
    kind = types.CompletionTriggerKind(context["triggerKind"])
    return types.CompletionContext(kind, context.get("triggerCharacter"))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    types.TEXT_DOCUMENT_DID_OPEN: _opened,
    types.TEXT_DOCUMENT_COMPLETION: _asked,
}


def read_params(method: str, params: Any) -> Any:
    """The params as LSP's type for the method; None for others and for any unusual shape."""
    reader = _READERS.get(method)
    try:
        return None if reader is None else reader(params)
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def completion_json(found: types.CompletionList) -> dict[str, Any]:
    """A list whose items have what ours have, as the converter would write it."""
    return {"isIncomplete": found.is_incomplete, "items": [_item(each) for each in found.items]}


def _item(item: types.CompletionItem) -> dict[str, Any]:
    details, command = item.label_details, item.command
    members: dict[str, Any] = {
        "label": item.label,
        "labelDetails": details and {"description": details.description},
        "kind": item.kind,
        "detail": item.detail,
        "sortText": item.sort_text,
        "filterText": item.filter_text,
        "textEdit": _edit(item.text_edit),
        "command": command and {"title": command.title, "command": command.command},
        "data": item.data,
    }
    return {key: value for key, value in members.items() if value is not None}


def _edit(edit: types.TextEdit | types.InsertReplaceEdit | None) -> dict[str, Any] | None:
    match edit:
        case None:
            return None
        case types.TextEdit():
            return {"newText": edit.new_text, "range": _range(edit.range)}
        case types.InsertReplaceEdit():
            insert, replace = _range(edit.insert), _range(edit.replace)
            return {"newText": edit.new_text, "insert": insert, "replace": replace}


def _range(place: types.Range) -> dict[str, Any]:
    return {"start": _position(place.start), "end": _position(place.end)}


def _position(position: types.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}
