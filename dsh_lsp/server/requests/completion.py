"""`textDocument/completion`: what the token under the cursor could become."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from dsh_lsp.server.client import Client
from dsh_lsp.server.completion import complete
from dsh_lsp.server.completion_items import completion_list
from dsh_lsp.server.connection import Connection
from dsh_lsp.server.convert import offset_of
from dsh_lsp.server.scene import Scene


def answer(
    connection: Connection, params: types.CompletionParams
) -> Awaitable[types.CompletionList | None]:
    """The rows; the newest request of a document wins."""
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
    if rows is None:
        items = await _in_front_matter(scene, offset, client)
    else:
        items = completion_list(document, rows, client, _now())
    if connection.state.documents.get(document.uri) is not document:
        raise JsonRpcRequestCancelled("the document changed meanwhile")
    return items


async def _in_front_matter(
    scene: Scene, offset: int, client: Client
) -> types.CompletionList | None:
    from dsh_lsp.server.front_matter import complete_front_matter
    from dsh_lsp.server.front_matter_items import entry_list

    found = await complete_front_matter(scene, offset)
    return None if found is None else entry_list(scene.document, found, client)


def _now() -> int:
    return round(time.time() * 1000)
