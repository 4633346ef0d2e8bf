"""Completion rows as LSP items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from lsprotocol import types

from dsh_lsp.core.display import age
from dsh_lsp.core.uri import encode
from dsh_lsp.server.client import TRIGGER_SUGGEST, Client
from dsh_lsp.server.completion import FileRow, Rows, SessionRow
from dsh_lsp.server.convert import range_of
from dsh_lsp.server.documents import Document
from dsh_lsp.server.markdown import brief


def completion_list(
    document: Document, rows: Rows, client: Client, now: int
) -> types.CompletionList:
    """All rows in their order; `now` is Unix milliseconds."""
    writer = _Writer(document, rows, client, now)
    return types.CompletionList(rows.incomplete, list(writer.items()))


class _Writer:
    def __init__(self, document: Document, rows: Rows, client: Client, now: int) -> None:
        self._rows = rows
        self._client = client
        self._now = now
        self._uri = document.uri
        token = rows.token
        self._typed = token.insert.of(document.text)
        self._insert = range_of(document, token.insert, client.unit)
        self._replace = range_of(document, token.replace, client.unit)

    def items(self) -> Iterator[types.CompletionItem]:
        for place, file in enumerate(self._rows.files):
            yield self._file(place, file)
        for place, session in enumerate(self._rows.sessions):
            yield self._session(place, session)

    def _file(self, place: int, row: FileRow) -> types.CompletionItem:
        directory = row.file.is_directory
        item = types.CompletionItem(
            label=brief(row.file.path.rstrip("/") + "/" if directory else row.file.path),
            kind=types.CompletionItemKind.Folder if directory else types.CompletionItemKind.File,
            sort_text=f"0{place:06}",
            filter_text=self._typed,
            text_edit=self._edit(row.text),
        )
        if directory and self._client.trigger_suggest:
            item.command = types.Command("Complete the directory", TRIGGER_SUGGEST)
        return item

    def _session(self, place: int, row: SessionRow) -> types.CompletionItem:
        candidate = row.candidate
        name = candidate.display_title
        broken = () if row.readable else ("unreadable",)
        when = age(candidate.created_at, self._now)
        about = " · ".join((*broken, *self._where(candidate.cwd), when))
        item = types.CompletionItem(
            label=brief(name if name.strip() else candidate.session_id),
            kind=types.CompletionItemKind.Reference,
            sort_text=f"1{place:06}",
            filter_text=self._typed,
            text_edit=self._edit(row.text),
            # The URI rather than the id, which may hold what some JSON readers refuse.
            data={"document": self._uri, "session": encode(candidate.session_id)},
        )
        if self._client.label_details:
            item.label_details = types.CompletionItemLabelDetails(description=about)
        else:
            item.detail = about
        return item

    def _edit(self, text: str) -> types.TextEdit | types.InsertReplaceEdit:
        if self._client.insert_replace:
            return types.InsertReplaceEdit(text, self._insert, self._replace)
        return types.TextEdit(self._replace, text)

    def _where(self, cwd: str | None) -> tuple[str, ...]:
        """A session's directory as seen from where paths begin; nothing for that place itself."""
        here = self._rows.cwd
        if cwd is None or cwd == here:
            return ()
        if here is not None and PurePath(cwd).is_relative_to(here):
            return (brief(str(PurePath(cwd).relative_to(here))),)
        return (brief(cwd),)
