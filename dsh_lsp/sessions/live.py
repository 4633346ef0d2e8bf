"""The sessions of a host, read from its history pages as if from their logs (docs/harness.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.events import SessionHeader
from dsh_lsp.sessions.hosted import HostLogs, HostRow, HostRows
from dsh_lsp.sessions.query import (
    KnownTitles,
    Listing,
    ListingFault,
    SessionEntry,
    SessionTitle,
)
from dsh_lsp.sessions.refreshed import Refreshed

if TYPE_CHECKING:
    from dsh_lsp.core.log.surface import Surface
    from dsh_lsp.sessions.histories import Histories


@dataclass(frozen=True, slots=True)
class _Told:
    """What a list of the host comes to."""

    hosted: HostRows
    listing: Listing
    titles: Mapping[str, SessionTitle]


class LiveSessions:
    """A `SessionQuery` over what a host tells; no session is opened by it.

    A host does not tell when a session was created: the time of its latest prompt stands for it,
    which only matters for the order. A list that is a few seconds old may answer; what a host that
    fell silent said last stays, with a fault beside it. `patience` is how long, in seconds, a list
    is waited for while there is none.
    """

    def __init__(self, logs: HostLogs, *, patience: float = 2.0) -> None:
        self._logs = logs
        self._patience = patience
        self._rows = Refreshed(lambda: logs.session_rows())
        self._told: _Told | None = None

    @cached_property
    def _histories(self) -> Histories:
        from dsh_lsp.sessions.histories import Histories  # no list of sessions waits for it

        return Histories(self._logs)

    @property
    def known(self) -> HostRows | None:
        """The newest list that is known."""
        return self._rows.value

    async def list_sessions(self) -> Listing:
        """The sessions that the host lists. Raises `ReadFailedError` when none is known."""
        return await self.list_soon(self._patience)

    async def list_soon(self, patience: float) -> Listing:
        """The same with a patience, in seconds, of its own."""
        told = self._latest(await self._rows.soon(patience))
        error = self._rows.error
        if told is None:
            raise error or ReadFailedError(
                "the host has not answered yet; ask again in a moment", ReadFault.UNREADABLE
            )
        if error is None:
            return told.listing
        fault = ListingFault(told.hosted.place, error.reason, error.message)
        return replace(told.listing, faults=(fault,))

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        """The titles that the host tells, which may be older than the logs."""
        told = self._latest(await self._rows.soon(self._patience))
        titles = told.titles if told else {}
        return {each: titles[each] for each in session_ids if each in titles}

    async def known_titles(self, session_ids: Sequence[str]) -> KnownTitles:  # noqa: ARG002
        """All titles that the host has told."""
        told = self._latest(self._rows.value)
        return KnownTitles(told.titles if told else {}, complete=True)

    async def read_surface(self, session_id: str) -> Surface:
        """The surface as it is now; a turn that runs stays open. Raises `ReadFailedError`."""
        hosted = await self._rows.soon(self._patience)
        row = _find(hosted, session_id)
        if hosted is None or row is None:
            # A list costs a host a lot, so an id that it does not know at all asks for none.
            await self._logs.history(session_id, None, 1)
            hosted = await self._rows.now()
            row = _find(hosted, session_id)
        if row is None:
            raise ReadFailedError("the host has no such session", ReadFault.NOT_FOUND)
        header = _header(row, hosted.log_format)
        replay = await self._histories.read(header)
        if replay.closers() and await self._is_running(session_id):
            return replay.observe()
        return replay.finish()

    async def refresh(self) -> None:
        """Load the list anew. Raises `ReadFailedError`."""
        await self._rows.now()

    async def changed(self) -> None:
        """Return when the host has told another list."""
        await self._rows.changed()

    async def aclose(self) -> None:
        """End what runs in the background."""
        await self._rows.aclose()

    def _latest(self, hosted: HostRows | None) -> _Told | None:
        if hosted is not None and (self._told is None or self._told.hosted is not hosted):
            self._told = _Told(hosted, _listing(hosted), _titles(hosted))
        return self._told

    async def _is_running(self, session_id: str) -> bool:
        row = _find(await self._rows.now(), session_id)
        return row is not None and row.running


def _find(hosted: HostRows | None, session_id: str) -> HostRow | None:
    rows = hosted.rows if hosted else ()
    return next((row for row in rows if row.session_id == session_id), None)


def _listing(hosted: HostRows) -> Listing:
    entries = [
        SessionEntry(_header(row, hosted.log_format), row.revision, hosted.place)
        for row in hosted.rows
    ]
    entries.sort(key=lambda entry: (-entry.header.created_at, entry.header.id))
    return Listing(tuple(entries))


def _titles(hosted: HostRows) -> Mapping[str, SessionTitle]:
    return {row.session_id: SessionTitle(row.title, row.label) for row in hosted.rows}


def _header(row: HostRow, log_format: int) -> SessionHeader:
    return SessionHeader(
        id=row.session_id,
        created_at=row.updated_at,
        format_version=log_format,
        cwd=row.cwd,
        parent_session=row.parent_session,
        origin=row.origin,
        delegation_depth=1 if row.origin == "subagent" else 0,
    )
