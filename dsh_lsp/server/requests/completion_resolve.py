"""`completionItem/resolve`: the preview of a session's row."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping

from lsprotocol import types

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.uri import decode
from dsh_lsp.server.budgets import budget_of
from dsh_lsp.server.connection import Connection
from dsh_lsp.server.convert import markup
from dsh_lsp.server.failures import UnknownDocumentError
from dsh_lsp.server.hover import MARKDOWN, PLAIN, session_preview
from dsh_lsp.server.scene import Scene


def answer(
    connection: Connection, item: types.CompletionItem
) -> Awaitable[types.CompletionItem] | types.CompletionItem:
    """The row with its preview; other rows have nothing more to tell."""
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
    item.documentation = markup(text, markdown=markdown)
    return item
