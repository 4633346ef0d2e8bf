"""A session store on disk as a `SessionQuery` (docs/storage.md). Only ever reads."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread

from dsh_lsp.core.log.event_types import KIND, TypeRule
from dsh_lsp.sessions.flights import Flights
from dsh_lsp.sessions.index import Index, NoIndex
from dsh_lsp.sessions.inventory import Inventory
from dsh_lsp.sessions.kept_names import KeptNames
from dsh_lsp.sessions.known import Known
from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.names import Names
from dsh_lsp.sessions.query import KnownTitles, Listing, SessionTitle
from dsh_lsp.sessions.scan import FoundLog
from dsh_lsp.sessions.seen import SeenStore
from dsh_lsp.sessions.threads import in_thread

if TYPE_CHECKING:
    from dsh_lsp.core.log.surface import Surface
    from dsh_lsp.sessions.surfaces import Surfaces

CONTEXT_LOGS = 8
"""How many of the newest sessions are asked for the context window of a store."""

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Told now and then, in the event loop, how many logs of how many have been read."""

_TURN = 0.1  # seconds after which reading tells how far it is


def _nobody(_done: int, _total: int) -> None:
    """Nobody wants to know."""


class SessionStore:
    """The sessions below one folder, `$DSH_HOME/sessions`; every layout and format.

    What has been read is kept by the revision of its file, so that asking again for a log that did
    not change reads nothing, and for one that grew only what is new. Every call may be cancelled
    and settles at once.
    """

    def __init__(
        self,
        root: Path,
        *,
        rule: TypeRule = KIND,
        index: Index | None = None,
    ) -> None:
        """`index` outlives the process; it holds what the rule `KIND` makes of logs, so no other
        rule uses it.
        """
        self.root = root
        self._index = index if index is not None and rule == KIND else NoIndex()
        self._inventory = Inventory(root, self._index)
        self._names = Names(rule, self._index)
        self._known = Known(self._names)
        self._rule = rule
        self._flights: Flights[Surface] = Flights()

    @cached_property
    def _surfaces(self) -> Surfaces:
        from dsh_lsp.sessions.surfaces import Surfaces  # no list of sessions waits for it

        return Surfaces(self._rule, self._index)

    @property
    def listed(self) -> Listing | None:
        """The listing that somebody got last; None before the first."""
        return self._inventory.listed

    async def list_sessions(self) -> Listing:
        """All sessions; reads headers only. A listing that was just taken may answer."""
        return (await self._current()).listing

    async def refresh(self) -> Listing:
        """All sessions, as they are now."""
        return await self._looked(self._inventory.refresh)

    async def glance(self) -> Listing:
        """All sessions, as far as a glance tells what has changed (see `Glance`)."""
        return await self._looked(self._inventory.glance)

    async def update(self, places: Iterable[tuple[str, str]]) -> Listing:
        """All sessions, when something changed in these places only (see `Inventory.update`)."""
        return await self._looked(partial(self._inventory.update, places))

    @contextlib.contextmanager
    def followed(self) -> Iterator[None]:
        """While somebody calls `refresh` or `update` whenever something may have changed.

        Meanwhile a listing, and titles that are known, are given without leaving the event loop.
        """
        with self._inventory.followed():
            yield

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        """Titles folded from the logs. A session whose title cannot be read is left out."""
        logs = (await self._current()).logs
        known = self._known.now(session_ids, logs)
        if not known.complete:
            await self._read_names(logs[each] for each in session_ids if each in logs)
            known = self._known.now(session_ids, logs)
        return known.titles

    async def known_titles(self, session_ids: Sequence[str]) -> KnownTitles:
        """The titles that are known already. Reads no log."""
        return self._known.lately(session_ids, (await self._current()).logs)

    async def warm(self, progress: Progress, *, cwd: str | None = None) -> None:
        """Read the titles of all sessions, those of `cwd` first, the newest first.

        Returns when all are known; sessions that appear meanwhile are left to the next call.
        """
        current = await self._current()
        headers = [entry.header for entry in current.listing.sessions]
        near = (header for header in headers if header.cwd == cwd)
        far = (header for header in headers if header.cwd != cwd)
        await self._read_names((current.logs[each.id] for each in chain(near, far)), progress)

    async def read_surface(self, session_id: str) -> Surface:
        """One consistent observation. Raises `ReadFailedError` with its reason."""
        log = await in_thread(lambda _: self._inventory.find(session_id))
        known = self._surfaces.at_hand(log)
        if known is not None:
            return known
        return await self._flights.join((log.path, log.revision), partial(self._surfaces.read, log))

    async def latest_context_window(self) -> int | None:
        """The context window, in tokens, that the newest session with one tells.

        Looks into the newest `CONTEXT_LOGS` logs only.
        """
        current = await self._current()
        newest = [current.logs[each.header.id] for each in current.listing.sessions[:CONTEXT_LOGS]]
        await self._read_names(newest)
        known = map(self._names.known, newest)
        windows = (each.context_window for each in known if isinstance(each, KeptNames))
        return next((window for window in windows if window is not None), None)

    async def aclose(self) -> None:
        """Let go of the index. Nothing is kept on disk from now on."""
        await anyio.to_thread.run_sync(self._index.close)

    async def _current(self) -> SeenStore:
        at_hand = self._inventory.at_hand()
        if at_hand is not None:
            return at_hand
        return await self._looked(self._inventory.current)

    async def _looked(self, look: Callable[[], T]) -> T:
        def work(_stop: Stop) -> T:
            self._names.remember()  # first: whoever finds the store at hand asks for its titles
            return look()

        return await in_thread(work)

    async def _read_names(self, logs: Iterable[FoundLog], progress: Progress = _nobody) -> None:
        """Fold the names of those logs that were not read, in their order.

        One after another: two threads would wait for each other (docs/performance.md).
        """
        unread = await in_thread(lambda _: self._names.unread(logs))
        left = iter(unread)
        done = 0
        while done < len(unread):
            done += await in_thread(partial(self._read_some, left))
            self._known.learn()
            progress(done, len(unread))

    def _read_some(self, logs: Iterator[FoundLog], stop: Stop) -> int:
        """Fold logs for a short time; how many."""
        end = time.monotonic() + _TURN
        count = 0
        for log in logs:
            self._names.read(log, stop)
            count += 1
            if stop.is_set() or time.monotonic() >= end:
                break
        return count
