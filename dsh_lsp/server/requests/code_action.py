"""`textDocument/codeAction`: the quick fixes of a selection, and what else can be done there."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence

from lsprotocol import types

from dsh_lsp.core.problem import Edit
from dsh_lsp.server.actions import fix_all, fixes_at, whole_mentions, write_target
from dsh_lsp.server.capabilities import FIX_ALL
from dsh_lsp.server.connection import Connection
from dsh_lsp.server.convert import range_of, span_of, text_edits
from dsh_lsp.server.documents import Document
from dsh_lsp.server.state import State


def answer(
    connection: Connection, params: types.CodeActionParams
) -> Awaitable[list[types.CodeAction]] | None:
    """The actions; nothing for an editor that takes only commands."""
    document = connection.state.document(params.text_document.uri)
    if not connection.state.client.code_action_literals:
        return None
    return _code_actions(connection, document, params)


async def _code_actions(
    connection: Connection, document: Document, params: types.CodeActionParams
) -> list[types.CodeAction]:
    unit = connection.state.client.unit
    span = span_of(document, params.range, unit)
    problems = await connection.diagnostics.problems(document)
    wanted = params.context.only
    actions: list[types.CodeAction] = []
    if _asks(wanted, types.CodeActionKind.QuickFix):
        shown = _shown(params.context.diagnostics)
        for action in fixes_at(problems, whole_mentions(document.prompt, span)):
            fix = _action(document, connection, action.fix.title, action.fix.edits(document.text))
            fix.kind = types.CodeActionKind.QuickFix
            places = ((each.code, range_of(document, each.span, unit)) for each in action.problems)
            keys = [(code, *_ends(place)) for code, place in places]
            fix.diagnostics = [each for key in keys for each in shown.get(key, ())]
            actions.append(fix)
        actions.extend(_target_actions(connection, document))
    if wanted is not None and _asks(wanted, FIX_ALL):
        edits = fix_all(document.text, problems)
        if edits:
            fix = _action(document, connection, "Fix all that can be fixed safely", edits)
            fix.kind = FIX_ALL
            actions.append(fix)
    return actions


def _asks(wanted: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    """Whether a client asks for a kind: by its name, by a kind above it, or for all."""
    if wanted is None:
        return True
    names = [str(getattr(each, "value", each)) for each in wanted]
    kind = str(getattr(kind, "value", kind))
    return any(name in ("", kind) or kind.startswith(f"{name}.") for name in names)


def _target_actions(connection: Connection, document: Document) -> list[types.CodeAction]:
    """Writing down the session that was created or chosen for this document."""
    session_id = _to_write_down(connection.state, document)
    front_matter = document.prompt.front_matter
    written = front_matter.session if front_matter else None
    if session_id is None or session_id == written:
        return []
    edit = write_target(document.prompt, session_id, document.line_end)
    if edit is None:
        return []
    title = "Write the target session into the front matter"
    action = _action(document, connection, title, (edit,))
    action.kind = types.CodeActionKind.QuickFix
    return [action]


def _to_write_down(state: State, document: Document) -> str | None:
    """The session of a choice, which front matter that names another one keeps from its effect."""
    chosen = state.choices.get(document.uri)
    if chosen is not None and chosen.session_id is not None:
        return chosen.session_id
    if chosen is None and not state.scene(document).target.created:
        return None
    return state.created.get(document.uri)


def _action(
    document: Document, connection: Connection, title: str, edits: tuple[Edit, ...]
) -> types.CodeAction:
    changes = text_edits(document, edits, connection.state.client.unit)
    if connection.state.client.versioned_edits:
        versioned = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(versioned, changes)])
    else:
        edit = types.WorkspaceEdit(changes={document.uri: changes})
    return types.CodeAction(title, edit=edit)


def _shown(diagnostics: Sequence[types.Diagnostic]) -> Mapping[object, list[types.Diagnostic]]:
    """The editor's own diagnostics by code and place, so that it can tell what a fix solves."""
    found: dict[object, list[types.Diagnostic]] = {}
    for each in diagnostics:
        found.setdefault((each.code, *_ends(each.range)), []).append(each)
    return found


def _ends(place: types.Range) -> tuple[int, ...]:
    return place.start.line, place.start.character, place.end.line, place.end.character
