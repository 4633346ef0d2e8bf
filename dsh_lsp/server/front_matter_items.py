"""Keys and values of the front matter as LSP items."""

from __future__ import annotations

from lsprotocol import types

from dsh_lsp.server.client import Client
from dsh_lsp.server.convert import range_of
from dsh_lsp.server.documents import Document
from dsh_lsp.server.front_matter import Entries
from dsh_lsp.server.markdown import brief


def entry_list(document: Document, found: Entries, client: Client) -> types.CompletionList:
    """The keys or values of the front matter in their order."""
    insert = range_of(document, found.insert, client.unit)
    replace = range_of(document, found.replace, client.unit)
    typed = found.insert.of(document.text)
    items = [
        types.CompletionItem(
            label=brief(entry.label),
            kind=types.CompletionItemKind.Property
            if entry.text.endswith(": ")
            else types.CompletionItemKind.Value,
            detail=None if entry.about is None else brief(entry.about),
            sort_text=f"{place:06}",
            filter_text=typed,
            text_edit=types.InsertReplaceEdit(entry.text, insert, replace)
            if client.insert_replace
            else types.TextEdit(replace, entry.text),
        )
        for place, entry in enumerate(found.entries)
    ]
    return types.CompletionList(bool(items), items)
