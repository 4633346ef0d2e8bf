"""The sessions of a store, found by walking it and reading headers (docs/storage.md)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dsh_lsp.core.display import one_line
from dsh_lsp.core.events import SessionHeader
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions.cache import RevisionCache
from dsh_lsp.sessions.layout import encode_segment, session_folder
from dsh_lsp.sessions.logfile import read_header
from dsh_lsp.sessions.query import Listing, ListingFault, SessionEntry
from dsh_lsp.sessions.scan import FoundLog, fault_at, find_log, scan

REUSE_SECONDS = 1.0
"""How long a listing may answer again without looking at every log."""

_SETTLED_NS = 50_000_000  # file systems keep times in steps; a younger change could hide another

_KEPT = 200_000


@dataclass(frozen=True, slots=True)
class _Known:
    """A session's entry, and what is wrong with the place of its log."""

    entry: SessionEntry
    misplacement: ListingFault | None


@dataclass(frozen=True, slots=True)
class _Found:
    """A listing with the log behind each session, and the folder times that it rests on."""

    listing: Listing
    logs: Mapping[str, FoundLog]
    taken: float  # seconds of the monotonic clock
    folders: Mapping[str, int] | None  # None: something changed too recently to rely on times


class Inventory:
    """Lists a store, and finds the log of a session. Blocking; safe to use from several threads.

    Entries are kept by revision, so a log that did not change costs its `stat` only and keeps the
    same entry (or the same fault, if it is damaged). A listing is given out again for
    `REUSE_SECONDS` while no folder of the store or of a project changed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: RevisionCache[_Known | ListingFault] = RevisionCache(_KEPT)
        self._found: _Found | None = None
        self._lock = threading.Lock()

    def listing(self) -> Listing:
        """All sessions; a listing that was just taken may answer."""
        return self._current().listing

    def refresh(self) -> Listing:
        """All sessions, as they are now."""
        with self._lock:
            self._found = self._take()
            return self._found.listing

    def logs(self) -> Mapping[str, FoundLog]:
        """The log behind each listed session, by session id."""
        return self._current().logs

    def find(self, session_id: str) -> FoundLog:
        """The log of one session as it is now. Raises `ReadFailedError`.

        Looks where the last listing saw the session, then into the store's listing, then where a
        session of that id may have appeared since.
        """
        found = self._found
        seen = found.logs.get(session_id) if found else None
        if seen is not None:
            now = find_log(Path(seen.path).parent)
            if isinstance(now, FoundLog) and self._holds(now, session_id):
                return now
        current = self._current()
        log = current.logs.get(session_id) or self._appeared(session_id)
        if log is None:
            raise self._missing(session_id, current.listing)
        return log

    def _appeared(self, session_id: str) -> FoundLog | None:
        """The session's log in a folder that a reused listing saw before the log was there."""
        segment = encode_segment(session_id) if session_id else ""
        for project in self._folder_times() or {}:
            log = find_log(self._root / project / segment) if project and segment else None
            if isinstance(log, FoundLog) and self._holds(log, session_id):
                return log
        return None

    def _holds(self, log: FoundLog, session_id: str) -> bool:
        known = self._look(log)
        return isinstance(known, _Known) and known.entry.header.id == session_id

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

    def _current(self) -> _Found:
        with self._lock:
            if self._found is None or not self._fresh(self._found):
                self._found = self._take()
            return self._found

    def _fresh(self, found: _Found) -> bool:
        return (
            found.folders is not None
            and time.monotonic() - found.taken < REUSE_SECONDS
            and self._folder_times() == found.folders
        )

    def _folder_times(self) -> dict[str, int] | None:
        """When the store's folder and its projects' folders changed last."""
        try:
            times = {"": self._root.stat().st_mtime_ns}
            with os.scandir(self._root) as entries:
                times |= {e.name: e.stat().st_mtime_ns for e in entries if e.is_dir()}
        except OSError:
            return None
        return times

    def _take(self) -> _Found:
        taken, clock, times = time.monotonic(), time.time_ns(), self._folder_times()
        found: list[tuple[_Known, FoundLog]] = []
        faults: list[ListingFault] = []
        for item in scan(self._root):
            known = item if isinstance(item, ListingFault) else self._look(item)
            if isinstance(known, ListingFault):
                faults.append(known)
            elif isinstance(item, FoundLog):
                found.append((known, item))
        entries, logs = self._one_each(found, faults)
        settled = times is not None and clock - max(times.values()) > _SETTLED_NS
        return _Found(Listing(entries, tuple(faults)), logs, taken, times if settled else None)

    def _look(self, log: FoundLog) -> _Known | ListingFault:
        """What a log's header tells, or why it tells nothing."""
        kept = self._known.get(log.path, log.revision)
        if kept is not None:
            return kept
        try:
            header, revision = read_header(log.path, log.name)
        except ReadFailedError as error:
            fault = fault_at(log.path, error.reason, error.message)
            if error.reason is ReadFault.CORRUPT:
                self._known.put(log.path, log.revision, fault)
            return fault
        entry = SessionEntry(header, revision, one_line(log.path))
        known = _Known(entry, self._misplacement(header, log))
        self._known.put(log.path, revision, known)
        return known

    def _one_each(
        self, found: list[tuple[_Known, FoundLog]], faults: list[ListingFault]
    ) -> tuple[tuple[SessionEntry, ...], dict[str, FoundLog]]:
        """One entry for each id, in listing order, with its log; adds the faults of their places.

        Of several folders with one id, the one in its right place is read.
        """
        found.sort(key=lambda item: (item[0].misplacement is not None, item[1].path))
        entries: list[SessionEntry] = []
        logs: dict[str, FoundLog] = {}
        for known, log in found:
            session_id = known.entry.header.id
            listed = logs.get(session_id)
            if listed is not None:
                if listed.revision != log.revision:  # else one file, seen through a link
                    faults.append(_duplicate(log, listed))
                continue
            entries.append(known.entry)
            logs[session_id] = log
            wrong = (known.misplacement, _rivalry(log))
            faults += [fault for fault in wrong if fault is not None]
        entries.sort(key=lambda entry: (-entry.header.created_at, entry.header.id))
        return tuple(entries), logs

    def _misplacement(self, header: SessionHeader, log: FoundLog) -> ListingFault | None:
        try:
            right = session_folder(self._root, header.id, header.cwd)
        except ValueError as error:
            return fault_at(
                log.path,
                ReadFault.MISPLACED,
                f"no folder is right for this session ({error}), so a harness refuses it",
            )
        if (right.parent.name, right.name) == (log.project, log.folder):
            return None
        return fault_at(
            log.path,
            ReadFault.MISPLACED,
            "the folder is not the one that the session's id and working directory ask for, so a "
            f"harness refuses it; move it to {one_line(str(right))}, or out of the store",
        )


def _duplicate(log: FoundLog, listed: FoundLog) -> ListingFault:
    return fault_at(
        log.path,
        ReadFault.MISPLACED,
        f"the same session lies at {one_line(listed.path)}, which is the one that is read; move "
        "one of the two folders out of the store, since a harness may refuse to list it",
    )


def _rivalry(log: FoundLog) -> ListingFault | None:
    if log.rival is None:
        return None
    return fault_at(
        log.path,
        ReadFault.MISPLACED,
        f"{log.rival} lies beside this log, which is the one that is read; move the one that is "
        "not wanted out of the store, since a harness refuses the two together",
    )
