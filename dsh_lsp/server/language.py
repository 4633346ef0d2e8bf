"""Handlers of the language features. Each takes its snapshot when the request arrives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.problem import Edit
from dsh_lsp.core.uri import decode
from dsh_lsp.server.actions import fix_all, fixes_at, write_target
from dsh_lsp.server.arguments import ArgumentError, read_arguments
from dsh_lsp.server.budgets import budget_of
from dsh_lsp.server.capabilities import FIX_ALL
from dsh_lsp.server.commands import COMMANDS, Call
from dsh_lsp.server.completion import complete
from dsh_lsp.server.completion_items import completion_list, entry_list
from dsh_lsp.server.connection import Connection
from dsh_lsp.server.convert import offset_of, range_of, span_of, text_edits
from dsh_lsp.server.documents import Document
from dsh_lsp.server.front_matter import complete_front_matter
from dsh_lsp.server.hover import MARKDOWN, PLAIN, hover, session_preview
from dsh_lsp.server.progress import Progress
from dsh_lsp.server.scene import Scene
from dsh_lsp.server.state import UnknownDocumentError
from dsh_lsp.server.wire import is_request_id


def completion(
    connection: Connection, params: types.CompletionParams
) -> Awaitable[types.CompletionList | None]:
    """What the token under the cursor could become; the newest request of a document wins."""
    document = connection.state.document(params.text_document.uri)
    scene = connection.state.scene(document)
    offset = offset_of(document, params.position, connection.state.client.unit)
    older = connection.completing.get(document.uri)
    if older is not None:
        older.cancel()
    task = asyncio.ensure_future(_complete(connection, scene, offset))
    connection.completing[document.uri] = task
    return task


async def _complete(
    connection: Connection, scene: Scene, offset: int
) -> types.CompletionList | None:
    document = scene.document
    client = connection.state.client
    rows = await complete(scene, offset)
    entries = await complete_front_matter(scene, offset) if rows is None else None
    if connection.state.documents.get(document.uri) is not document:
        raise JsonRpcRequestCancelled("the document changed meanwhile")
    if rows is not None:
        return completion_list(document, rows, client, _now())
    return None if entries is None else entry_list(document, entries, client)


def resolve(
    connection: Connection, item: types.CompletionItem
) -> Awaitable[types.CompletionItem] | types.CompletionItem:
    """The preview of a session's row; other rows have nothing more to tell."""
    data = item.data if isinstance(item.data, Mapping) else {}
    try:
        document = connection.state.document(data.get("document"))
        session_id = decode(str(data.get("session")))
    except (UnknownDocumentError, InvalidReferenceError):
        return item
    return _resolve(connection, connection.state.scene(document), session_id, item)


async def _resolve(
    connection: Connection, scene: Scene, session_id: str, item: types.CompletionItem
) -> types.CompletionItem:
    markdown = connection.state.client.markdown_documentation
    style = MARKDOWN if markdown else PLAIN
    text = await session_preview(scene, session_id, None, await budget_of(scene), style)
    item.documentation = _markup(text, markdown=markdown)
    return item


def hover_at(
    connection: Connection, params: types.HoverParams
) -> Awaitable[types.Hover | None] | None:
    """What stands under the cursor."""
    document = connection.state.document(params.text_document.uri)
    if not connection.state.settings.hover.enabled:
        return None
    return _hover(connection, connection.state.scene(document), params.position)


async def _hover(
    connection: Connection, scene: Scene, position: types.Position
) -> types.Hover | None:
    client = connection.state.client
    document = scene.document
    offset = offset_of(document, position, client.unit)
    problems = await connection.diagnostics.problems(document)
    style = MARKDOWN if client.markdown else PLAIN
    found = await hover(scene, offset, await budget_of(scene), problems, style)
    if found is None:
        return None
    contents = _markup(found.text, markdown=client.markdown)
    return types.Hover(contents, range_of(document, found.span, client.unit))


def pull_diagnostics(
    connection: Connection, params: types.DocumentDiagnosticParams
) -> Awaitable[types.DocumentDiagnosticReport]:
    """All problems of a document."""
    document = connection.state.document(params.text_document.uri)
    return connection.diagnostics.pull(document, params.previous_result_id)


def code_actions(
    connection: Connection, params: types.CodeActionParams
) -> Awaitable[list[types.CodeAction]] | None:
    """The quick fixes of a selection, and what else can be done there."""
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
        for action in fixes_at(problems, span):
            fix = _action(document, connection, action.fix.title, action.fix.edits)
            fix.kind = types.CodeActionKind.QuickFix
            places = ((each.code, range_of(document, each.span, unit)) for each in action.problems)
            keys = [(code, *_ends(place)) for code, place in places]
            fix.diagnostics = [each for key in keys for each in shown.get(key, ())]
            actions.append(fix)
        actions.extend(_target_actions(connection, document))
    if wanted is not None and _asks(wanted, FIX_ALL):
        edits = fix_all(problems)
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
    target = connection.state.scene(document).target
    front_matter = document.prompt.front_matter
    written = front_matter.session if front_matter else None
    if target.session_id is None or target.session_id == written:
        return []
    if not (target.created or document.uri in connection.state.choices):
        return []
    edit = write_target(document.prompt, target.session_id, document.line_end)
    if edit is None:
        return []
    title = "Write the target session into the front matter"
    action = _action(document, connection, title, (edit,))
    action.kind = types.CodeActionKind.QuickFix
    return [action]


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


def execute_command(
    connection: Connection, params: types.ExecuteCommandParams
) -> Awaitable[dict[str, Any]]:
    """One of the commands, with its progress."""
    command = COMMANDS.get(params.command)
    if command is None:
        raise ArgumentError(f"there is no command {params.command!r:.100}")
    try:
        arguments = read_arguments(params.arguments)
        progress = _progress(connection, params)
    except ArgumentError as fault:
        raise ArgumentError(f"{params.command} {fault}") from None

    async def run() -> dict[str, Any]:
        try:
            return await command(Call(connection.state, arguments, progress.report))
        except ArgumentError as fault:
            raise ArgumentError(f"{params.command} {fault}") from None
        finally:
            progress.end()
            connection.commands.pop(progress.token, None)
            connection.diagnostics.recheck()  # a command may have named or created the target

    task = asyncio.ensure_future(run())
    connection.commands[progress.token] = task
    return task


def _progress(connection: Connection, params: types.ExecuteCommandParams) -> Progress:
    token = params.work_done_token
    if token is not None and not is_request_id(token):
        raise ArgumentError("expects workDoneToken to be a whole number or a string")

    return connection.progress(params.command, token)


def _markup(text: str, *, markdown: bool) -> types.MarkupContent:
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.MarkupContent(kind, text)


def _now() -> int:
    return round(time.time() * 1000)
