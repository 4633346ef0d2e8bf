"""A session store on disk as a `SessionQuery` (docs/storage.md). Only ever reads."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from dsh_lsp.core.log.event_types import KIND, TypeRule
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.sessions.flights import Flights
from dsh_lsp.sessions.index import Index, NoIndex
from dsh_lsp.sessions.inventory import Inventory
from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.names import Names
from dsh_lsp.sessions.query import KnownTitles, Listing, SessionTitle
from dsh_lsp.sessions.scan import FoundLog
from dsh_lsp.sessions.seen import SeenStore
from dsh_lsp.sessions.surfaces import Surfaces
from dsh_lsp.sessions.threads import in_thread

TITLE_READERS = 2
"""Logs that are read for their titles at the same time: more would only wait for each other."""

WARM_READERS = 1
"""The same where nobody waits: another one would not be faster, and would delay keystrokes."""

CONTEXT_LOGS = 8
"""How many of the newest sessions are asked for the context window of a store."""

Progress = Callable[[int, int], None]
"""Told now and then, in the event loop, how many logs of how many have been read."""


_TURN = 0.1  # seconds after which a reader tells how far it is


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
        title_readers: int = TITLE_READERS,
        index: Index | None = None,
    ) -> None:
        """`index` outlives the process; it holds what the rule `KIND` makes of logs, so no other
        rule uses it.
        """
        self.root = root
        self._index = index if index is not None and rule == KIND else NoIndex()
        self._inventory = Inventory(root, self._index)
        self._names = Names(rule, self._index)
        self._surfaces = Surfaces(rule, self._index)
        self._flights: Flights[Surface] = Flights()
        self._title_readers = title_readers

    @property
    def listed(self) -> Listing | None:
        """The listing that somebody got last; None before the first."""
        return self._inventory.listed

    async def list_sessions(self) -> Listing:
        """All sessions; reads headers only. A listing that was just taken may answer."""
        return (await self._current()).listing

    async def refresh(self) -> Listing:
        """All sessions, as they are now."""
        return await in_thread(lambda _: self._inventory.refresh())

    async def update(self, places: Iterable[tuple[str, str]]) -> Listing:
        """All sessions, when something changed in these places only (see `Inventory.update`)."""
        return await in_thread(lambda _: self._inventory.update(places))

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
        known = self._names.now(session_ids, logs)
        if not known.missing:
            return known.titles
        await self._read_names(tuple(known.missing.values()), self._title_readers)
        return self._names.now(session_ids, logs).titles

    async def known_titles(self, session_ids: Sequence[str]) -> KnownTitles:
        """The titles that are known already. Reads no log."""
        known = self._names.at_hand(session_ids, (await self._current()).logs)
        return KnownTitles(known.titles, complete=not known.missing)

    async def warm(self, progress: Progress, *, cwd: str | None = None) -> None:
        """Read the titles of all sessions, those of `cwd` first, the newest first.

        Returns when all are known; sessions that appear meanwhile are left to the next call.
        """
        current = await self._current()
        # In listing order within each of the two groups, since sorting is stable.
        entries = sorted(current.listing.sessions, key=lambda entry: entry.header.cwd != cwd)
        ids = tuple(entry.header.id for entry in entries)
        missing = self._names.now(ids, current.logs).missing
        if missing:
            await self._read_names(tuple(missing.values()), WARM_READERS, progress)

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
        unread = [log for log in newest if self._names.facts(log) is None]
        await self._read_names(unread, self._title_readers)
        facts = (self._names.facts(log) for log in newest)
        windows = (each.context_window for each in facts if each is not None)
        return next((window for window in windows if window is not None), None)

    async def aclose(self) -> None:
        """Let go of the index. Nothing is kept on disk from now on."""
        await anyio.to_thread.run_sync(self._index.close)

    async def _current(self) -> SeenStore:
        at_hand = self._inventory.at_hand()
        if at_hand is not None:
            return at_hand
        return await in_thread(self._take)

    def _take(self, _stop: Stop) -> SeenStore:
        current = self._inventory.current()
        self._names.remember()
        return current

    async def _read_names(
        self, logs: Sequence[FoundLog], readers: int, progress: Progress = _nobody
    ) -> None:
        """Fold the names of logs, in their order, by a few readers."""
        queue = deque(logs)
        done = 0

        async def read_on() -> None:
            nonlocal done
            while queue:
                done += await in_thread(partial(self._read_some, queue))
                progress(done, len(logs))

        async with anyio.create_task_group() as group:
            for _ in range(min(readers, len(logs))):
                group.start_soon(read_on)

    def _read_some(self, queue: deque[FoundLog], stop: Stop) -> int:
        """Fold logs from the queue for a short time; how many."""
        end, count = time.monotonic() + _TURN, 0
        with contextlib.suppress(IndexError):  # another reader took the last one
            while not stop.is_set():
                self._names.read(queue.popleft(), stop)
                count += 1
                if time.monotonic() >= end:
                    break
        return count
