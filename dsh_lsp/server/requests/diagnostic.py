"""`textDocument/diagnostic`: the problems of a document."""

from __future__ import annotations

from collections.abc import Awaitable

from lsprotocol import types

from dsh_lsp.server.connection import Connection


def answer(
    connection: Connection, params: types.DocumentDiagnosticParams
) -> Awaitable[types.DocumentDiagnosticReport]:
    """All problems, or that none have changed."""
    document = connection.state.document(params.text_document.uri)
    return connection.diagnostics.pull(document, params.previous_result_id)
