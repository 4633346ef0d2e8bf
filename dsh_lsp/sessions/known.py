"""The titles of sessions that are known at a moment, and whether that is all of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dsh_lsp.sessions.kept_names import KeptNames
from dsh_lsp.sessions.names import Names
from dsh_lsp.sessions.query import KnownTitles, SessionTitle
from dsh_lsp.sessions.scan import FoundLog

RENEWAL = 0.25
"""Seconds at least between two answers to a keystroke while logs are being read."""

_RENEWAL_EACH = 10e-6
"""The same for each session, since making something of an answer takes a tenth of that."""

MANY = 256
"""Ids of which an answer is remembered; fewer are looked up as quickly."""

Logs = Mapping[str, FoundLog]


@dataclass(slots=True)
class _Last:
    """The last answer about many sessions, and the titles that were found since.

    `unread` has the ids of the others by the paths of their logs.
    """

    ids: Sequence[str]
    logs: Logs
    answer: KnownTitles
    unread: dict[str, str]
    found: dict[str, SessionTitle] = field(default_factory=dict)
    time: float = field(default_factory=time.monotonic)


_NOTHING = _Last((), {}, KnownTitles({}, complete=True), {})


class Known:
    """Answers from what was read before; reads nothing. For one thread at a time.

    The same tuple of ids and the same logs give the same titles as long as nothing changed, and an
    answer costs what was learnt since the one before.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._last: _Last | None = None

    def now(self, session_ids: Sequence[str], logs: Logs) -> KnownTitles:
        """What is known of sessions at this moment."""
        last = self._last_of(session_ids, logs)
        if last is not None:
            self.learn()
            return self._renewed(last)
        if not isinstance(session_ids, tuple) or len(session_ids) < MANY:
            return self._look(session_ids, logs, _NOTHING).answer
        self._names.news()  # what is learnt from here on may be missing in the answer
        self._last = self._look(session_ids, logs, self._last or _NOTHING)
        return self._last.answer

    def lately(self, session_ids: Sequence[str], logs: Logs) -> KnownTitles:
        """The same, but while many logs are being read only a few new answers in a second."""
        self.learn()
        last = self._last_of(session_ids, logs)
        pause = max(RENEWAL, _RENEWAL_EACH * len(session_ids))
        many = last is not None and len(last.unread) >= MANY
        if last is not None and many and time.monotonic() - last.time < pause:
            return last.answer
        return self.now(session_ids, logs)

    def learn(self) -> None:
        """Take in what was read since. Called often while much is read, it never takes long."""
        last = self._last
        if last is None:
            return
        for path in self._names.news():
            session_id = last.unread.get(path)
            known = self._names.known(last.logs[session_id]) if session_id is not None else None
            if known is not None:
                del last.unread[path]
            if session_id is not None and isinstance(known, KeptNames):
                last.found[session_id] = known.title

    def _last_of(self, session_ids: Sequence[str], logs: Logs) -> _Last | None:
        last = self._last
        return last if last and last.ids is session_ids and last.logs is logs else None

    def _look(self, session_ids: Sequence[str], logs: Logs, before: _Last) -> _Last:
        """What is known; a log that is the same object as before has the same title."""
        titles: dict[str, SessionTitle] = {}
        unread: dict[str, str] = {}
        for session_id in session_ids:
            log = logs.get(session_id)
            if log is None:
                continue
            title = before.answer.titles.get(session_id)
            if title is not None and log is before.logs.get(session_id):
                titles[session_id] = title
                continue
            known = self._names.known(log)
            if known is None:
                unread[log.path] = session_id
            elif isinstance(known, KeptNames):
                titles[session_id] = known.title
        return _Last(session_ids, logs, KnownTitles(titles, complete=not unread), unread)

    def _renewed(self, last: _Last) -> KnownTitles:
        last.time = time.monotonic()
        titles = {**last.answer.titles, **last.found} if last.found else last.answer.titles
        last.found = {}
        last.answer = KnownTitles(titles, complete=not last.unread)
        return last.answer
