"""`textDocument/hover`: what stands under the cursor."""

from __future__ import annotations

from collections.abc import Awaitable

from lsprotocol import types

from dsh_lsp.server.budgets import budget_of
from dsh_lsp.server.connection import Connection
from dsh_lsp.server.convert import markup, offset_of, range_of
from dsh_lsp.server.hover import MARKDOWN, PLAIN, hover
from dsh_lsp.server.scene import Scene


def answer(
    connection: Connection, params: types.HoverParams
) -> Awaitable[types.Hover | None] | None:
    """The hover, or nothing."""
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
    contents = markup(found.text, markdown=client.markdown)
    return types.Hover(contents, range_of(document, found.span, client.unit))
