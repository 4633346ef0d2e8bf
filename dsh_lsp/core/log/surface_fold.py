"""Surface operations as each range of formats writes them, applied one by one (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dsh_lsp.core.log.bounds import check_size
from dsh_lsp.core.log.events import Event, sequence_number
from dsh_lsp.core.log.keep import text_length
from dsh_lsp.core.log.node_list import NodeList

Check = Callable[[Event, int, list[tuple[int, Event]]], None]
"""Looks at an event, its number, and the nodes that it replaces; raises ValueError."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The event types that can be on the surface, the names of a range, and further rules.

    `reserved` are the keys that an event of any other type must not have.
    """

    types: frozenset[str]
    reserved: tuple[str, ...]
    start_key: str
    end_key: str
    needs_operation: bool
    checks: tuple[Check, ...]


class SurfaceFold:
    """The surface after the events so far."""

    def __init__(
        self, dialect: Dialect, keep: Callable[[Event], Event] = lambda event: event
    ) -> None:
        self._dialect = dialect
        self._keep = keep
        self._nodes = NodeList()
        self._text = 0

    def apply(self, event: Event, seq: int) -> tuple[int, ...]:
        """Take in one event and say which nodes it shadowed.

        Raises ValueError with its fault, and `ReadFailedError` for a surface that gets too large.
        """
        dialect = self._dialect
        if event.get("type") not in dialect.types:
            for name in dialect.reserved:
                if name in event:
                    raise ValueError(f"it has `{name}` but cannot be on the surface")
            return ()
        operation = event.get("surfaceOp")
        if operation is None and "surfaceOp" not in event and not dialect.needs_operation:
            return ()
        shadowed = [] if operation == "append" else self._shadowed(operation)
        for check in dialect.checks:
            check(event, seq, shadowed)
        kept = self._keep(event)
        if shadowed:
            self._nodes.replace(shadowed, seq, kept)
            self._text -= sum(text_length(gone) for _, gone in shadowed)
        else:
            self._nodes.append(seq, kept)
        self._text += text_length(kept)
        check_size(len(self._nodes), self._text)
        return tuple(number for number, _ in shadowed)

    def nodes(self) -> tuple[Event, ...]:
        """The current surface, in model order."""
        return tuple(self._nodes)

    def put_back(self, nodes: Iterable[Event]) -> None:
        """Begin with the nodes that an earlier fold ended with, instead of none."""
        for node in nodes:
            self._nodes.append(int(node["seq"]), node)
            self._text += text_length(node)

    def beginning(self) -> SurfaceFold:
        """An empty fold of the same dialect, for what is only ever appended to this one."""
        return SurfaceFold(self._dialect, self._keep)

    def copy(self) -> SurfaceFold:
        """A fold that goes on alone from here."""
        twin = SurfaceFold(self._dialect, self._keep)
        twin._nodes = self._nodes.copy()
        twin._text = self._text
        return twin

    def _shadowed(self, operation: Any) -> list[tuple[int, Event]]:
        names = (self._dialect.start_key, self._dialect.end_key)
        if not isinstance(operation, dict) or operation.keys() != {"op", *names}:
            raise ValueError("its surface operation is neither append nor replace")
        start, end = (sequence_number(operation[name]) for name in names)
        if operation["op"] != "replace" or start is None or end is None:
            raise ValueError("its surface operation is neither append nor replace")
        return self._nodes.between(start, end)
