"""The least that a completion server on pygls can be: what a start is compared with."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")


@server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["@"]))
def complete(_: types.CompletionParams) -> list[types.CompletionItem]:
    """One row."""
    return [types.CompletionItem("row")]


if __name__ == "__main__":
    server.start_io()
