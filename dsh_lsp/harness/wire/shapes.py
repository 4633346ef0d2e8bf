"""Replies of a host as values of ours: a wrong shape is an error, never a surprise later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dsh_lsp.core.javascript import safe_integer
from dsh_lsp.core.log.chunk_rows import ROW_TYPES, row_length
from dsh_lsp.core.log.events import Event, sequence_number
from dsh_lsp.harness.port import FoundFile, HostCandidate
from dsh_lsp.harness.wire.errors import GarbageError
from dsh_lsp.sessions.hosted import HistoryPage, HostRow

MAX_ID = 1_000
"""Characters of a session id; hosts make ids of 44."""

MAX_NAME = 10_000
"""Characters of a title, label, path or cwd."""


def read_rows(value: Any, doing: str) -> tuple[HostRow, ...]:
    """The rows of a list; one without a usable id or time costs only itself."""
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise GarbageError(f"{doing}: the answer holds no list of sessions")
    return tuple(row for row in map(_row, items) if row is not None)


def read_created(value: Any, doing: str) -> str:
    """The id of a new session."""
    session_id = _text(value, "sessionId", MAX_ID)
    if not session_id:
        raise GarbageError(f"{doing}: the answer names no session")
    return session_id


def read_title(value: Any, doing: str) -> str:
    """The title that a host has recorded."""
    title = _text(value, "title", MAX_NAME)
    if title is None:
        raise GarbageError(f"{doing}: the answer holds no title")
    return title


def read_candidates(value: Any, doing: str) -> tuple[HostCandidate, ...]:
    """The sessions that a host would offer."""
    if not isinstance(value, list):
        raise GarbageError(f"{doing}: the answer is not a list")
    found = []
    for item in value:
        session_id, label = _text(item, "sessionId", MAX_ID), _text(item, "label", MAX_NAME)
        if session_id and label is not None:
            shown = _text(item, "displayTitle", MAX_NAME)
            found.append(
                HostCandidate(
                    session_id,
                    label if shown is None else shown,
                    _text(item, "cwd", MAX_NAME),
                    safe_integer(item.get("createdAt")),
                )
            )
    return tuple(found)


def read_files(value: Any, doing: str) -> tuple[FoundFile, ...]:
    """Paths below a session's cwd; what leaves it is dropped."""
    if not isinstance(value, list):
        raise GarbageError(f"{doing}: the answer is not a list")
    found = []
    for item in value:
        path = _text(item, "path", MAX_NAME)
        if path and not path.startswith("/") and ".." not in path.split("/"):
            found.append(FoundFile(path.rstrip("/"), item.get("kind") == "directory"))
    return tuple(found)


def read_page(records: Any, more: Any, doing: str) -> HistoryPage:
    """A page of a history. Its records follow one another without a gap."""
    if not isinstance(records, list) or not isinstance(more, bool):
        raise GarbageError(f"{doing}: the answer holds no history")
    expected = None
    for first, length in _places(records, doing):
        if first is None or (expected is not None and first != expected):
            raise GarbageError(f"{doing}: the records of the history have a gap")
        expected = first + length
    return HistoryPage(tuple(records), more)


def first_seq(record: Event) -> int | None:
    """The number of a record, or of the first event that a packed one stands for."""
    return sequence_number(record.get("seq0" if record.get("type") in ROW_TYPES else "seq"))


def read_last_seq(value: Any, doing: str) -> int | None:
    """The number of the last record; None when the host does not tell it here."""
    if value is not None and not isinstance(value, dict):
        raise GarbageError(f"{doing}: the answer has not the shape of projections")
    last = safe_integer(value.get("asOfSeq")) if value else None
    return last if last is not None and last >= -1 else None


def _places(records: list[Any], doing: str) -> Iterator[tuple[int | None, int]]:
    """Each record's number, and how many events it stands for."""
    for record in records:
        if not isinstance(record, dict) or not isinstance(record.get("type"), str):
            raise GarbageError(f"{doing}: the history holds something that is no event")
        try:
            length = row_length(record) if record["type"] in ROW_TYPES else 1
        except ValueError as error:
            raise GarbageError(f"{doing}: the history holds a malformed row: {error}") from None
        yield first_seq(record), length


def _row(item: Any) -> HostRow | None:
    session_id = _text(item, "sessionId", MAX_ID)
    updated_at = safe_integer(item.get("updatedAt")) if session_id else None
    if not session_id or updated_at is None or updated_at < 0:
        return None
    projections = _object(item.get("projections"))
    values = _object(projections.get("values"))
    kind = projections.get("kind")
    window = safe_integer(_object(values.get("contextPressure")).get("contextWindow"))
    subagent = _object(values.get("subagent"))
    last = safe_integer(projections.get("asOfSeq"))
    return HostRow(
        session_id=session_id,
        updated_at=updated_at,
        running=item.get("running") is True,
        cwd=_text(item, "cwd", MAX_NAME),
        parent_session=_text(item, "parentSessionId", MAX_ID),
        origin="subagent" if item.get("origin") == "subagent" else None,
        title=_text(values, "title", MAX_NAME),
        label=_text(_object(subagent.get("identity")), "label", MAX_NAME),
        context_window=window if window and window > 0 else None,
        last_seq=last if last is not None and last >= 0 else None,
        attached=kind == "sequenced" if isinstance(kind, str) else None,
        waiting=_waiting(values.get("inbox")),
    )


def _waiting(inbox: Any) -> int | None:
    if not isinstance(inbox, dict):
        return None
    return sum(len(queue) for queue in inbox.values() if isinstance(queue, list))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any, key: str, longest: int) -> str | None:
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) and len(text) <= longest else None
