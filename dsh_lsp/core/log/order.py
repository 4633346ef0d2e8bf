"""The order of a log's events, and the rule for what follows a damaged line (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.events import Event
from dsh_lsp.core.log.line import read_log_line


class LogOrder:
    """Counts lines and events, and says which events belong to the log.

    From the first bad line on nothing counts any more: it may be the tail of a write that never
    ended. If a turn ends behind it, or if the bad line was stored whole, it is damage instead.
    """

    def __init__(self) -> None:
        self._line = 1  # the header
        self._fault: str | None = None
        self.length = 0
        """How many events count; also the sequence number of the next one."""

    def take(self, line: bytes, format_version: int) -> Event | None:
        """The event that the next line holds, numbered `length - 1`, if it counts and is alone.

        Raises `ReadFailedError` when a turn ends in or behind a bad line.
        """
        self._line += 1
        try:
            read = read_log_line(line, format_version)
        except ValueError:
            self._bad_line("is not an event")
            return None
        if self._fault is None and read.seq == self.length:
            self.length += read.length
            return read.event
        self._misplaced(read.seq, ends_turn=read.ends_turn)
        return None

    def pass_over(self, seq: int, *, ends_turn: bool) -> None:
        """The next line holds one event with this number, which nobody needs.

        Raises `ReadFailedError` like `take`.
        """
        self._line += 1
        if self._fault is None and seq == self.length:
            self.length += 1
        else:
            self._misplaced(seq, ends_turn=ends_turn)

    def settle(self) -> None:
        """All lines so far were stored whole. Raises `ReadFailedError` if one of them was bad."""
        if self._fault is not None:
            raise corrupt(self._fault)

    def refuse(self, fault: str) -> ReadFailedError:
        """The error for a fault in the line at hand."""
        return corrupt(f"line {self._line} {fault}")

    def copy(self) -> LogOrder:
        """An order that goes on alone from here."""
        twin = LogOrder()
        twin._line, twin._fault, twin.length = self._line, self._fault, self.length
        return twin

    def state(self) -> dict[str, Any]:
        """What `restored` needs, as JSON."""
        return {"line": self._line, "fault": self._fault, "length": self.length}

    @staticmethod
    def restored(state: Mapping[str, Any]) -> LogOrder:
        """The order that a state was taken of."""
        order = LogOrder()
        order._line, order._fault, order.length = state["line"], state["fault"], state["length"]
        return order

    def _misplaced(self, seq: int | None, *, ends_turn: bool) -> None:
        found = "an event without a number" if seq is None else f"event {seq}"
        self._bad_line(f"holds {found} where event {self.length} belongs")
        if ends_turn:
            self.settle()

    def _bad_line(self, fault: str) -> None:
        if self._fault is None:
            self._fault = f"line {self._line} {fault}"


def corrupt(fault: str) -> ReadFailedError:
    """The error for a damaged log."""
    return ReadFailedError(
        f"the session's log is damaged: {fault}. Restore it from a backup, or mention another "
        "session",
        ReadFault.CORRUPT,
    )
