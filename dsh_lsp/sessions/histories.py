"""The histories of a host's sessions, folded like logs; each is read on from where it was."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from dsh_lsp.core.javascript import compact_bytes
from dsh_lsp.core.log.event_types import KIND
from dsh_lsp.core.log.events import Event, SessionHeader
from dsh_lsp.core.log.keep import conversation_of
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.sessions.hosted import HostLogs
from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.threads import in_thread

KEPT_SESSIONS = 32

_FIRST_MESSAGES = 8
_MOST_MESSAGES = 128


@dataclass(frozen=True, slots=True)
class _Read:
    """A session as far as it has been read."""

    replay: LogReplay
    last_seq: int
    last: Event | None


class Histories:
    """Reads sessions page by page, and keeps some that were read."""

    def __init__(self, logs: HostLogs) -> None:
        self._logs = logs
        self._kept: OrderedDict[str, _Read] = OrderedDict()

    async def read(self, header: SessionHeader) -> LogReplay:
        """The session as it is now. Raises `ReadFailedError`."""
        kept = self._kept.get(header.id)
        records = await self._records(header.id, kept.last_seq if kept else 0)
        if kept is not None and not _continues(kept, records):
            # What was read last has been written differently since, or the log is another one.
            kept, records = None, await self._records(header.id, 0)
        read = await in_thread(partial(_fold, header, kept, records))
        self._kept[header.id] = read
        self._kept.move_to_end(header.id)
        if len(self._kept) > KEPT_SESSIONS:
            self._kept.popitem(last=False)
        return read.replay

    async def _records(self, session_id: str, since: int) -> list[Event]:
        """The records from the one that holds event `since` on, or from an earlier one."""
        pages = []
        through, messages = None, _FIRST_MESSAGES
        while True:
            page = await self._logs.history(session_id, through, messages)
            pages.append(page.records)
            first = _first_seq(page.records[0]) if page.records else 0
            if not page.more or first <= since:
                return [record for records in reversed(pages) for record in records]
            through, messages = first - 1, min(messages * 4, _MOST_MESSAGES)


def _fold(header: SessionHeader, kept: _Read | None, records: Sequence[Event], stop: Stop) -> _Read:
    rule = replace(KIND, newest_format=header.format_version)
    replay = (
        kept.replay.copy()
        if kept
        else LogReplay(header, rule, conversation_of(header.format_version))
    )
    last_seq, last = (kept.last_seq, kept.last) if kept else (-1, None)
    for record in records:
        if stop.is_set():
            break
        if _first_seq(record) > last_seq:
            last_seq, last = _first_seq(record), record
            replay.feed(compact_bytes(record))
    replay.settle()
    return _Read(replay, last_seq, last)


def _continues(kept: _Read, records: Sequence[Event]) -> bool:
    return any(record == kept.last for record in records)


def _first_seq(record: Event) -> int:
    """The number of a record's first event; pages are checked, so that each has one."""
    return int(record["seq0"] if "seq0" in record else record["seq"])
