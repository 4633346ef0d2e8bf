"""Reads the sessions that are open in this process, from memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.harness.embedded.live import LiveSession
from dsh_lsp.sessions.query import Listing, SessionEntry, SessionTitle


class LiveQuery:
    """A `SessionQuery` over `sessions`, which others may change; nothing in it waits."""

    def __init__(self, sessions: Mapping[str, LiveSession]) -> None:
        self._sessions = sessions

    async def list_sessions(self) -> Listing:
        """The open sessions in listing order."""
        entries = [
            SessionEntry(session.header, session.revision, session.path)
            for session in self._sessions.values()
        ]
        entries.sort(key=lambda entry: (-entry.header.created_at, entry.header.id))
        return Listing(tuple(entries))

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        """The titles of the open ones among these sessions."""
        surfaces = {
            each: self._sessions[each].surface for each in session_ids if each in self._sessions
        }
        return {each: SessionTitle(found.title, found.label) for each, found in surfaces.items()}

    async def read_surface(self, session_id: str) -> Surface:
        """The surface as it is now; a turn that runs stays open. Raises `ReadFailedError`."""
        session = self._sessions.get(session_id)
        if session is None:
            raise ReadFailedError(
                "the session is not open in the embedded harness", ReadFault.NOT_FOUND
            )
        return session.surface
