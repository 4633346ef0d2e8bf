"""The sessions that a prompt can mention: from the store, and from the host it goes to."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import anyio

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions.live import LiveSessions
from dsh_lsp.sessions.query import KnownTitles, Listing, SessionEntry, SessionTitle
from dsh_lsp.sessions.store import SessionStore

if TYPE_CHECKING:
    from dsh_lsp.core.log.surface import Surface

POLL_SECONDS = 5.0
"""How often a host is asked for news of sessions whose store cannot be watched."""

TOGETHER_SECONDS = 60.0
"""For how long a host whose sessions were found in the store is not asked for them again."""

EMPTY_PATIENCE = 1.0
"""Seconds that a list waits for a host when the alternative is nothing at all."""


class LiveOrStored:
    """Reads the store where it is the host's own, and the host's pages where it is not.

    The two belong together when they have a session in common. Then a session whose turn runs is
    still read from the host, which knows more than the disk, and the host is seldom asked for its
    list, which costs it a lot. Until the host has answered, and while it has no sessions, the store
    alone counts.
    """

    def __init__(
        self,
        live: LiveSessions,
        store: SessionStore,
        *,
        patience: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`patience` is how many seconds a list waits for a host that has not answered yet; while
        the store is empty it waits `EMPTY_PATIENCE` at least.
        """
        self._live = live
        self._store = store
        self._patience = patience
        self._clock = clock
        self._together_until = 0.0
        self._compared: tuple[Listing, tuple[SessionEntry, ...], bool] | None = None

    async def list_sessions(self) -> Listing:
        """The sessions that can be mentioned. Raises `ReadFailedError`."""
        try:
            stored = await self._store.list_sessions()
        except ReadFailedError:
            return await self._live.list_sessions()
        if self._clock() < self._together_until:
            return stored
        try:
            empty = 0.0 if stored.sessions else EMPTY_PATIENCE
            hosted = await self._live.list_soon(max(self._patience, empty))
        except ReadFailedError:
            return stored
        if self._are_apart(stored, hosted):
            return hosted
        if hosted.sessions:
            self._together_until = self._clock() + TOGETHER_SECONDS
        return stored

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        """Titles folded from the logs, or told by the host."""
        return await self._source.read_titles(session_ids)

    async def known_titles(self, session_ids: Sequence[str]) -> KnownTitles:
        """The titles that are known already."""
        return await self._source.known_titles(session_ids)

    async def read_surface(self, session_id: str) -> Surface:
        """One consistent observation. Raises `ReadFailedError`."""
        if self._source is self._live:
            return await self._live.read_surface(session_id)
        if await self._runs(session_id):
            with contextlib.suppress(ReadFailedError):
                return await self._live.read_surface(session_id)
        try:
            return await self._store.read_surface(session_id)
        except ReadFailedError as error:
            if error.reason is not ReadFault.NOT_FOUND:
                raise
            return await self._from_host(session_id, error)

    async def latest_context_window(self) -> int | None:
        """The context window, in tokens, of the newest session that tells one."""
        hosted = self._live.known
        for row in hosted.rows if hosted else ():
            if row.context_window is not None:
                return row.context_window
        return await self._store.latest_context_window()

    @property
    def _source(self) -> LiveSessions | SessionStore:
        """Where the sessions come from, as it looked when they were listed last."""
        is_apart = self._compared is not None and self._compared[2]
        return self._live if is_apart else self._store

    async def changes(self) -> AsyncIterator[object]:
        """An item whenever sessions of the host may have changed that no store here shows."""
        was_apart = False
        while True:
            with anyio.move_on_after(POLL_SECONDS) as pause:
                await self._live.changed()
            is_apart = await self._is_apart()
            if is_apart != was_apart or (is_apart and not pause.cancelled_caught):
                was_apart = is_apart
                yield None
            elif is_apart:
                with contextlib.suppress(ReadFailedError):
                    await self._live.refresh()

    async def _is_apart(self) -> bool:
        if self._live.known is None:
            return False
        try:
            return self._are_apart(await self._store.list_sessions(), await self._live.list_soon(0))
        except ReadFailedError:
            return True

    async def _from_host(self, session_id: str, missing: ReadFailedError) -> Surface:
        try:
            return await self._live.read_surface(session_id)
        except ReadFailedError as error:
            # Without a host, that the store does not have it is what matters.
            raise error if self._live.known is not None else missing from None

    async def _runs(self, session_id: str) -> bool:
        """Whether its turn ran when the host was asked last; it is asked again meanwhile."""
        with contextlib.suppress(ReadFailedError):
            await self._live.list_soon(0)
        hosted = self._live.known
        return hosted is not None and any(
            row.running and row.session_id == session_id for row in hosted.rows
        )

    def _are_apart(self, stored: Listing, hosted: Listing) -> bool:
        """Whether the host has sessions, and none of them is stored here."""
        known = self._compared
        if known is None or known[0] is not stored or known[1] is not hosted.sessions:
            ours = {entry.header.id for entry in stored.sessions}
            shared = any(entry.header.id in ours for entry in hosted.sessions)
            known = (stored, hosted.sessions, bool(hosted.sessions) and not shared)
            self._compared = known
        return known[2]
