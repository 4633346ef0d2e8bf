"""A `SessionQuery` over values, which records what it was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.events import SessionHeader
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.sessions.query import Listing, SessionEntry, SessionTitle


def said(seq: int, text: str) -> dict[str, Any]:
    """A direct user message as an event of format 0."""
    return {
        "type": "user/message",
        "seq": seq,
        "time": seq,
        "surfaceOp": "append",
        "data": {
            "role": "user",
            "content": [{"type": "text", "text": text}],
            "source": {"kind": "user"},
        },
    }


def make_surface(session_id: str, *texts: str, cwd: str | None = "/w", **more: Any) -> Surface:
    """A session in which the user said `texts`."""
    return Surface(
        header=SessionHeader(session_id, created_at=1, format_version=4, cwd=cwd),
        captured_through_seq=len(texts) - 1 if texts else None,
        nodes=tuple(said(seq, text) for seq, text in enumerate(texts)),
        **more,
    )


def make_entry(session_id: str, cwd: str | None = None, created_at: int = 1) -> SessionEntry:
    """A listed session."""
    header = SessionHeader(session_id, created_at=created_at, format_version=4, cwd=cwd)
    return SessionEntry(header, revision="1", origin="memory")


class FakeQuery:
    """Answers at once. `titles_read` and `surfaces_read` hold the ids asked for, in order."""

    def __init__(
        self,
        sessions: Sequence[SessionEntry] = (),
        titles: Mapping[str, SessionTitle] | None = None,
        surfaces: Mapping[str, Surface | Exception] | None = None,
    ) -> None:
        self.sessions = tuple(sessions)
        self.titles = dict(titles or {})
        self.surfaces = dict(surfaces or {})
        self.title_batches: list[tuple[str, ...]] = []
        self.surfaces_read: list[str] = []

    async def list_sessions(self) -> Listing:
        return Listing(self.sessions)

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        self.title_batches.append(tuple(session_ids))
        return {each: self.titles[each] for each in session_ids if each in self.titles}

    async def read_surface(self, session_id: str) -> Surface:
        self.surfaces_read.append(session_id)
        found = self.surfaces.get(session_id)
        if found is None:
            raise ReadFailedError(f"no session {session_id}", ReadFault.NOT_FOUND)
        if isinstance(found, Exception):
            raise found
        return found
