"""The names of sessions, folded from their logs once for each revision."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.facts import LogFacts
from dsh_lsp.sessions.cache import RevisionCache
from dsh_lsp.sessions.index import Index, Kind
from dsh_lsp.sessions.index_values import KeptNames, names_bytes, names_from
from dsh_lsp.sessions.logfile import Stop, StoppedError
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.reading import read_names
from dsh_lsp.sessions.scan import FoundLog

LASTING = {
    *(ReadFault.CORRUPT, ReadFault.UNKNOWN_EVENT),
    *(ReadFault.OLD_FORMAT, ReadFault.NEWER_FORMAT, ReadFault.TOO_LARGE),
}
"""Faults that stay until the file changes."""

RENEWAL = 0.25
"""Seconds between two answers while logs are being read: each takes a look at all that miss."""

MANY = 256
"""Ids of which an answer is remembered; fewer are looked up as quickly."""

_KEPT = 200_000


@dataclass(frozen=True, slots=True)
class Named:
    """What a log told of its session; `title` is the same object for as long as it counts."""

    title: SessionTitle
    names: KeptNames


@dataclass(frozen=True, slots=True)
class AtHand:
    """The titles of sessions that are known without reading, and the logs of the others by id."""

    titles: Mapping[str, SessionTitle]
    missing: Mapping[str, FoundLog]


@dataclass(frozen=True, slots=True)
class _Last:
    ids: tuple[str, ...]
    logs: Mapping[str, FoundLog]
    changes: int
    time: float  # seconds of the monotonic clock
    answer: AtHand


class Names:
    """Reads and keeps names. Safe to use from several threads."""

    def __init__(self, rule: TypeRule, index: Index) -> None:
        self._rule = rule
        self._index = index
        self._kept: RevisionCache[Named | ReadFailedError] = RevisionCache(_KEPT)
        self._remembering = threading.Lock()
        self._remembered = False
        self._changes = 0
        self._last: _Last | None = None

    def at_hand(self, session_ids: Sequence[str], logs: Mapping[str, FoundLog]) -> AtHand:
        """What is known of sessions. Reads nothing.

        The same tuple of ids and the same logs give the same answer as long as nothing changed,
        and while logs are being read only a few new answers in a second.
        """
        last = self._last
        if (
            last is not None
            and (last.ids is session_ids and last.logs is logs)
            and time.monotonic() - last.time < RENEWAL
        ):
            return last.answer
        return self.now(session_ids, logs)

    def now(self, session_ids: Sequence[str], logs: Mapping[str, FoundLog]) -> AtHand:
        """What is known of sessions at this moment. Reads nothing."""
        last = self._last
        if last is None or last.ids is not session_ids or last.logs is not logs:
            return self._look(session_ids, logs, {}, session_ids)
        if last.changes == self._changes:
            return last.answer
        missing = list(last.answer.missing)
        return self._look(session_ids, logs, last.answer.titles, missing)

    def _look(
        self,
        session_ids: Sequence[str],
        logs: Mapping[str, FoundLog],
        before: Mapping[str, SessionTitle],
        unknown: Iterable[str],
    ) -> AtHand:
        """The titles of before, and those of `unknown` as far as they are known."""
        changes = self._changes
        titles = dict(before)
        missing: dict[str, FoundLog] = {}
        for session_id in unknown:
            log = logs.get(session_id)
            if log is None:
                continue
            kept = self._kept.get(log.path, log.revision)
            if kept is None:
                missing[session_id] = log
            elif isinstance(kept, Named):
                titles[session_id] = kept.title
        answer = AtHand(titles, missing)
        if isinstance(session_ids, tuple) and len(session_ids) >= MANY:
            self._last = _Last(session_ids, logs, changes, time.monotonic(), answer)
        return answer

    def remember(self) -> None:
        """Take over what the index kept, once. Blocking."""
        with self._remembering:
            if self._remembered:
                return
            for row in self._index.rows(Kind.NAMES):
                names = names_from(row.value, self._rule)
                if names is not None:
                    self._keep(row.path, row.revision, names)
            self._remembered = True

    def read(self, log: FoundLog, stop: Stop) -> None:
        """Fold a log unless its names are known, from where an earlier fold ended. Blocking."""
        if self._kept.get(log.path, log.revision) is not None:
            return
        old = self._kept.take(log.path)
        earlier = old.names.resumable if isinstance(old, Named) else None
        try:
            done = read_names(log.path, log.name, self._rule, stop, earlier)
        except ReadFailedError as error:
            if error.reason in LASTING:
                self._kept.put(log.path, log.revision, error.with_traceback(None))
            self._changes += 1
            return
        except StoppedError:
            return
        names = KeptNames(done.value.facts, done.resumable)
        self._keep(log.path, done.revision, names)
        encoded = names_bytes(names)  # now, since the fold may go on
        self._index.put(Kind.NAMES, log.path, done.revision, lambda: encoded)

    def facts(self, log: FoundLog) -> LogFacts | None:
        """What is known of a log, title and context window; None when it was not read."""
        kept = self._kept.get(log.path, log.revision)
        return kept.names.facts if isinstance(kept, Named) else None

    def _keep(self, path: str, revision: str, names: KeptNames) -> None:
        title = SessionTitle(names.facts.title, names.facts.label)
        self._kept.put(path, revision, Named(title, names))
        self._changes += 1
