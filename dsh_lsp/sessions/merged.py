"""Several sources of sessions read as one; an earlier one is preferred over a later one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions.query import (
    KnownTitles,
    Listing,
    ListingFault,
    SessionEntry,
    SessionQuery,
    SessionTitle,
    TitlesAtHand,
)

if TYPE_CHECKING:
    from dsh_lsp.core.log.surface import Surface


class MergedQuery:
    """Joins sources, live ones first: a session that several know is read from the first of them.

    A source that cannot be listed costs only its own sessions.
    """

    def __init__(self, *sources: SessionQuery) -> None:
        self._sources = sources
        self._merged: tuple[list[Listing], Listing] | None = None

    async def list_sessions(self) -> Listing:
        """The sessions of all sources, each once, in listing order.

        The same listing as before while those of the sources are the same.
        """
        listings: list[Listing] = []
        faults: list[ListingFault] = []
        for source in self._sources:
            try:
                listing = await source.list_sessions()
            except ReadFailedError as error:
                faults.append(ListingFault(type(source).__name__, error.reason, error.message))
                continue
            listings.append(listing)
        if not faults and self._merged is not None and _same(self._merged[0], listings):
            return self._merged[1]
        entries: dict[str, SessionEntry] = {}
        for listing in listings:
            faults += listing.faults
            for entry in listing.sessions:
                entries.setdefault(entry.header.id, entry)
        order = sorted(entries.values(), key=lambda each: (-each.header.created_at, each.header.id))
        merged = Listing(tuple(order), tuple(faults))
        if len(listings) == len(self._sources):
            self._merged = (listings, merged)
        return merged

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

    async def known_titles(self, session_ids: Sequence[str]) -> KnownTitles:
        """What the sources know already; one that cannot tell is asked to read."""
        titles: dict[str, SessionTitle] = {}
        complete = True
        for source in self._sources:
            open_ids = [each for each in session_ids if each not in titles]
            if not open_ids:
                break
            try:
                if isinstance(source, TitlesAtHand):
                    known = await source.known_titles(open_ids)
                else:
                    known = KnownTitles(await source.read_titles(open_ids), complete=True)
            except ReadFailedError:
                continue  # without a title, an id is shown
            titles |= known.titles
            complete = complete and known.complete
        return KnownTitles(titles, complete)

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


def _same(one: Sequence[Listing], other: Sequence[Listing]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
