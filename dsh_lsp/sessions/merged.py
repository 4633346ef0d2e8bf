"""Several sources of sessions read as one; an earlier one is preferred over a later one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.surface import Surface
from dsh_lsp.sessions.query import (
    Listing,
    ListingFault,
    SessionEntry,
    SessionQuery,
    SessionTitle,
)


class MergedQuery:
    """Joins sources, live ones first: a session that several know is read from the first of them.

    A source that cannot be listed costs only its own sessions.
    """

    def __init__(self, *sources: SessionQuery) -> None:
        self._sources = sources

    async def list_sessions(self) -> Listing:
        """The sessions of all sources, each once, in listing order."""
        entries: dict[str, SessionEntry] = {}
        faults: list[ListingFault] = []
        for source in self._sources:
            try:
                listing = await source.list_sessions()
            except ReadFailedError as error:
                faults.append(ListingFault(type(source).__name__, error.reason, error.message))
                continue
            faults += listing.faults
            for entry in listing.sessions:
                entries.setdefault(entry.header.id, entry)
        order = sorted(entries.values(), key=lambda each: (-each.header.created_at, each.header.id))
        return Listing(tuple(order), tuple(faults))

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        """The titles that the first source with an answer gives for each session."""
        titles: dict[str, SessionTitle] = {}
        for source in self._sources:
            open_ids = [each for each in session_ids if each not in titles]
            if not open_ids:
                break
            try:
                titles |= await source.read_titles(open_ids)
            except ReadFailedError:
                continue  # without a title, an id is shown
        return titles

    async def read_surface(self, session_id: str) -> Surface:
        """The surface from the first source that knows the session. Raises `ReadFailedError`."""
        missing = ReadFailedError("there is no source of sessions", ReadFault.NOT_FOUND)
        for source in self._sources:
            try:
                return await source.read_surface(session_id)
            except ReadFailedError as error:
                if error.reason is not ReadFault.NOT_FOUND:
                    raise
                missing = error
        raise missing
