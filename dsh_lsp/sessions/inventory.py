"""The sessions of a store, found by walking it and reading headers (docs/storage.md)."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.events import SessionHeader
from dsh_lsp.sessions.cache import RevisionCache
from dsh_lsp.sessions.glance import Glance, Place
from dsh_lsp.sessions.index import Index, Kind, NoIndex, Row
from dsh_lsp.sessions.kept_headers import header_bytes, header_from
from dsh_lsp.sessions.layout import encode_segment, project_key
from dsh_lsp.sessions.logfile import read_header
from dsh_lsp.sessions.query import Listing, ListingFault, SessionEntry
from dsh_lsp.sessions.scan import (
    ROOT,
    WHOLE,
    FoundLog,
    Items,
    fault_at,
    find_log,
    folder_times,
    look_at_place,
    look_at_project,
    look_at_store,
)
from dsh_lsp.sessions.seen import Seen, SeenSession, SeenStore, grown, put_together

REUSE_SECONDS = 1.0
"""How long a listing may answer again without looking at every log."""

_SETTLED_NS = 50_000_000  # file systems keep times in steps; a younger change could hide another

_KEPT = 200_000


@dataclass(frozen=True, slots=True)
class _Look:
    """What was seen when the whole store was last looked at, and the folder times it rests on."""

    store: SeenStore
    taken: float  # seconds of the monotonic clock
    folders: Mapping[str, int] | None  # None: something changed too recently to rely on times


class Inventory:
    """Lists a store, and finds the log of a session. Blocking; safe to use from several threads.

    Entries are kept by revision, so a log that did not change costs its `stat` only and keeps the
    same entry (or the same fault, if it is damaged). While somebody follows the store, a listing
    costs nothing; else it is given out again for `REUSE_SECONDS` while no folder of the store or
    of a project changed.
    """

    def __init__(self, root: Path, index: Index | None = None) -> None:
        self._root = root
        self._index = index or NoIndex()
        self._remembered: dict[str, Row] | None = None
        self._known: RevisionCache[SeenSession | ListingFault] = RevisionCache(_KEPT)
        self._look: _Look | None = None
        self._glance = Glance(root, {})
        self._lock = threading.Lock()
        self._followers = 0

    @contextlib.contextmanager
    def followed(self) -> Iterator[None]:
        """While somebody calls `refresh` or `update` whenever something may have changed."""
        self._followers += 1
        try:
            yield
        finally:
            self._followers -= 1

    def at_hand(self) -> SeenStore | None:
        """The store as it is now, if that is known without looking."""
        look = self._look
        return look.store if look and self._followers else None

    @property
    def listed(self) -> Listing | None:
        """The listing that was taken last, however long ago."""
        return self._look.store.listing if self._look else None

    def listing(self) -> Listing:
        """All sessions; a listing that was just taken may answer."""
        return self.current().listing

    def logs(self) -> Mapping[str, FoundLog]:
        """The log behind each listed session, by session id."""
        return self.current().logs

    def current(self) -> SeenStore:
        """The listing and its logs; those that were just taken may answer."""
        with self._lock:
            if self._look is None or not self._fresh(self._look):
                self._look = self._take()
            return self._look.store

    def refresh(self) -> Listing:
        """All sessions, as they are now."""
        with self._lock:
            self._look = self._take()
            return self._look.store.listing

    def glance(self) -> Listing:
        """All sessions, as far as a glance tells what has changed since (see `Glance`)."""
        with self._lock:
            if self._look is None or ROOT in self._look.store.places:
                self._look = self._take()
            elif places := self._glance.places(self._look.store):
                self._look = self._take_again(self._look, places)
            return self._look.store.listing

    def update(self, places: Iterable[Place]) -> Listing:
        """All sessions, when something changed in these places only."""
        with self._lock:
            if self._look is None or ROOT in self._look.store.places:
                self._look = self._take()
            else:
                self._look = self._take_again(self._look, places)
            return self._look.store.listing

    def find(self, session_id: str) -> FoundLog:
        """The log of one session as it is now. Raises `ReadFailedError`.

        Looks where the last listing saw the session, then into the store's listing, then where a
        session of that id may have appeared since.
        """
        look = self._look
        seen = look.store.logs.get(session_id) if look else None
        if seen is not None:
            now = find_log(Path(seen.path).parent)
            if isinstance(now, FoundLog) and self._holds(now, session_id):
                return now
        current = self.current()
        log = current.logs.get(session_id) or self._appeared(session_id)
        if log is None:
            raise self._missing(session_id, current.listing)
        return log

    def _appeared(self, session_id: str) -> FoundLog | None:
        """The session's log in a folder that a reused listing saw before the log was there."""
        segment = encode_segment(session_id) if session_id else ""
        for project in folder_times(self._root) or {}:
            log = find_log(self._root / project / segment) if project and segment else None
            if isinstance(log, FoundLog) and self._holds(log, session_id):
                return log
        return None

    def _holds(self, log: FoundLog, session_id: str) -> bool:
        seen = self._see(log)
        return isinstance(seen, SeenSession) and seen.entry.header.id == session_id

    def _missing(self, session_id: str, listing: Listing) -> ReadFailedError:
        """Why there is no such session: its own log may be there, but broken."""
        segment = encode_segment(session_id) if session_id else ""
        for fault in listing.faults:
            place = Path(fault.place)
            if segment and segment in (place.name, place.parent.name):
                return ReadFailedError(f"{fault.place}: {fault.message}", fault.reason)
        return ReadFailedError(
            f"there is no such session under {one_line(str(self._root))}; choose another "
            "session, or check dsh.home",
            ReadFault.NOT_FOUND,
        )

    def _fresh(self, look: _Look) -> bool:
        if self._followers:
            return True
        return (
            look.folders is not None
            and time.monotonic() - look.taken < REUSE_SECONDS
            and folder_times(self._root) == look.folders
        )

    def _take(self) -> _Look:
        taken, clock, times = time.monotonic(), time.time_ns(), folder_times(self._root)
        before = self._look.store if self._look else None
        self._glance = Glance(self._root, times or {})
        if self._remembered is None:
            self._remembered = {row.path: row for row in self._index.rows(Kind.HEADER)}
        places = {
            project: {name: self._see_all(items) for name, items in entries.items()}
            for project, entries in look_at_store(self._root).items()
        }
        store = put_together(places, before)
        if ROOT not in places:  # a store that is away for a while is not forgotten
            self._forget_vanished(store, before)
        settled = times is not None and clock - max(times.values()) > _SETTLED_NS
        return _Look(store, taken, times if settled else None)

    def _take_again(self, look: _Look, places: Iterable[Place]) -> _Look:
        before = look.store
        after = dict(before.places)
        changes: list[tuple[Seen, Seen]] = []
        for project, names in _by_project(places).items():
            if WHOLE in names:
                items = look_at_project(self._root, project)
                after[project] = {each: self._see_all(found) for each, found in items.items()}
                changes.append(((), ()))  # more than the growth of known logs
                continue
            entries = after[project] = dict(after.get(project, {}))
            for name in names:
                seen = self._see_all(look_at_place(self._root, project, name))
                known = entries.pop(name, ())
                if seen:
                    entries[name] = seen
                if seen != known:
                    changes.append((known, seen))
        if not changes:
            return look
        store = grown(after, before, changes) or put_together(after, before)
        return _Look(store, look.taken, None)

    def _forget_vanished(self, store: SeenStore, before: SeenStore | None) -> None:
        known = set(self._remembered or ())
        if before is not None and before.logs is not store.logs:
            known |= {log.path for log in before.logs.values()}
        if known:
            self._index.forget(known - {log.path for log in store.logs.values()})
        self._remembered = {}

    def _see_all(self, items: Items) -> Seen:
        return tuple(self._see(each) if isinstance(each, FoundLog) else each for each in items)

    def _see(self, log: FoundLog) -> SeenSession | ListingFault:
        """What a log's header tells, or why it tells nothing."""
        kept = self._known.get(log.path, log.revision)
        if isinstance(kept, ListingFault):
            return kept
        if kept is not None and kept.log.rival == log.rival:
            return kept
        try:
            header, revision = self._header(log)
        except ReadFailedError as error:
            fault = fault_at(log.path, error.reason, error.message)
            if error.reason is ReadFault.CORRUPT:
                self._known.put(log.path, log.revision, fault)
            return fault
        read = replace(log, revision=revision)  # it may have grown since it was found
        entry = SessionEntry(header, revision, one_line(log.path))
        seen = SeenSession(entry, read, self._misplacement(header, read))
        self._known.put(log.path, revision, seen)
        return seen

    def _header(self, log: FoundLog) -> tuple[SessionHeader, str]:
        """A log's header and the revision that it is of. Raises `ReadFailedError`."""
        row = (self._remembered or {}).get(log.path)
        if row is not None and row.revision == log.revision:
            header = header_from(row.value)
            if header is not None:
                return header, row.revision
        header, revision = read_header(log.path, log.name)
        self._index.put(Kind.HEADER, log.path, revision, partial(header_bytes, header))
        return header, revision

    def _misplacement(self, header: SessionHeader, log: FoundLog) -> ListingFault | None:
        try:
            right = project_key(header.cwd), encode_segment(header.id)
        except ValueError as error:
            return fault_at(
                log.path,
                ReadFault.MISPLACED,
                f"no folder is right for this session ({error}), so a harness refuses it",
            )
        if right == (log.project, log.folder):
            return None
        place = one_line(str(self._root.joinpath(*right)))
        return fault_at(
            log.path,
            ReadFault.MISPLACED,
            "the folder is not the one that the session's id and working directory ask for, so a "
            f"harness refuses it; move it to {place}, or out of the store",
        )


def _by_project(places: Iterable[Place]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for project, name in places:
        names.setdefault(project, set()).add(name)
    return names
