"""The nodes of a surface in model order; replacing a range costs only what it removes."""

from __future__ import annotations

from collections.abc import Iterator

from dsh_lsp.core.log.events import Event

_EDGE = -1
"""Stands before the first node and behind the last; no event has this number."""


class NodeList:
    """Surface nodes by sequence number, linked in model order.

    Every node is removed at most once, so any number of replacements takes time linear in the
    number of nodes that were ever added.
    """

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}
        self._in_order = True  # the events stand in model order
        self._next = {_EDGE: _EDGE}
        self._previous = {_EDGE: _EDGE}

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        if not self._in_order:
            self._events = dict(self._walk())
            self._in_order = True
        return iter(self._events.values())

    def _walk(self) -> Iterator[tuple[int, Event]]:
        seq = self._next[_EDGE]
        while seq != _EDGE:
            yield seq, self._events[seq]
            seq = self._next[seq]

    def append(self, seq: int, event: Event) -> None:
        """Put a node last."""
        self._insert(self._previous[_EDGE], seq, event)

    def between(self, start: int, end: int) -> list[tuple[int, Event]]:
        """The nodes from `start` to `end`, by position. Raises ValueError when there are none."""
        for seq in (start, end):
            if seq not in self._events:
                raise ValueError(f"it replaces event {seq}, which is not on the surface")
        found = [(start, self._events[start])]
        while found[-1][0] != end:
            seq = self._next[found[-1][0]]
            if seq == _EDGE:
                raise ValueError(
                    f"it replaces a range whose end {end} comes before its start {start}"
                )
            found.append((seq, self._events[seq]))
        return found

    def replace(self, shadowed: list[tuple[int, Event]], seq: int, event: Event) -> None:
        """Put a node in the place of those that `between` gave."""
        before, after = self._previous[shadowed[0][0]], self._next[shadowed[-1][0]]
        for gone, _ in shadowed:
            del self._events[gone], self._next[gone], self._previous[gone]
        self._next[before], self._previous[after] = after, before
        self._in_order = self._in_order and after == _EDGE
        self._insert(before, seq, event)

    def copy(self) -> NodeList:
        """A list that changes on its own from here on."""
        twin = NodeList()
        twin._events, twin._in_order = self._events.copy(), self._in_order
        twin._next = self._next.copy()
        twin._previous = self._previous.copy()
        return twin

    def _insert(self, before: int, seq: int, event: Event) -> None:
        after = self._next[before]
        self._events[seq] = event
        self._next[before], self._next[seq] = seq, after
        self._previous[after], self._previous[seq] = seq, before
