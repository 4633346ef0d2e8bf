"""The names of sessions, folded from their logs once for each revision."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import partial

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.sessions.cache import RevisionCache
from dsh_lsp.sessions.index import Index, Kind
from dsh_lsp.sessions.kept_names import KeptNames, names_bytes, names_from
from dsh_lsp.sessions.logfile import Stop, StoppedError
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.read_names import read_names
from dsh_lsp.sessions.scan import FoundLog

LASTING = {
    *(ReadFault.CORRUPT, ReadFault.UNKNOWN_EVENT),
    *(ReadFault.OLD_FORMAT, ReadFault.NEWER_FORMAT, ReadFault.TOO_LARGE),
}
"""Faults that stay until the file changes."""

_KEPT = 200_000


class Names:
    """Reads and keeps names. Safe to use from several threads."""

    def __init__(self, rule: TypeRule, index: Index) -> None:
        self._rule = rule
        self._index = index
        self._kept: RevisionCache[KeptNames | ReadFailedError] = RevisionCache(_KEPT)
        self._remembering = threading.Lock()
        self._remembered = False
        self._news: set[str] = set()
        self._telling = threading.Lock()

    def known(self, log: FoundLog) -> KeptNames | ReadFailedError | None:
        """What a log told, or why it never will; None when it has to be read."""
        return self._kept.get(log.path, log.revision)

    def unread(self, logs: Iterable[FoundLog]) -> list[FoundLog]:
        """Those that have to be read, in their order."""
        return [log for log in logs if not self._kept.holds(log.path, log.revision)]

    def news(self) -> set[str]:
        """The paths of logs of which something was learnt since the last call."""
        with self._telling:
            news, self._news = self._news, set()
        return news

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
        if self.known(log) is not None:
            return
        old = self._kept.take(log.path)
        earlier = old.resumable if isinstance(old, KeptNames) else None
        try:
            done = read_names(log.path, log.name, self._rule, stop, earlier)
        except ReadFailedError as error:
            if error.reason in LASTING:
                self._keep(log.path, log.revision, error.with_traceback(None))
            return
        except StoppedError:
            return
        facts, resumable = done.value.facts, done.resumable
        title = SessionTitle(facts.title, facts.label)
        names = KeptNames(title, facts.context_window, resumable)
        self._keep(log.path, done.revision, names)
        state = resumable.fold.state() if resumable else None  # now, since the fold may go on
        self._index.put(Kind.NAMES, log.path, done.revision, partial(names_bytes, names, state))

    def _keep(self, path: str, revision: str, names: KeptNames | ReadFailedError) -> None:
        self._kept.put(path, revision, names)
        with self._telling:
            self._news.add(path)
