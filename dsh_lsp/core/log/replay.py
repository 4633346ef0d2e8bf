"""Replaying a session log, line by line, into the surface that it ends with (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from dsh_lsp.core.log.dialects import FORMAT_0, FORMATS_3_AND_4
from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.events import Event, SessionHeader
from dsh_lsp.core.log.facts import FACT_TYPES, LogFacts
from dsh_lsp.core.log.keep import whole
from dsh_lsp.core.log.line import split_lines
from dsh_lsp.core.log.open_turn import TURN_TYPES, OpenTurn
from dsh_lsp.core.log.order import LogOrder
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.log.surface_fold import SurfaceFold
from dsh_lsp.core.log.unknown_types import UnknownTypes, check_format
from dsh_lsp.core.log.upgrade import REFUSABLE_TYPES, upgrade

_PLAIN_KEYS = {"type", "seq", "time", "data"}
_HEARD_TYPES = FORMATS_3_AND_4.types | TURN_TYPES | FACT_TYPES | REFUSABLE_TYPES
"""Types that any part of a replay listens to; plain events of other known types only count."""


class LogReplay:
    """Folds a log without reading it: give it the lines behind the header, in order.

    Lines that were stored whole (a complete frame of a compressed log) are followed by `settle`;
    what was recovered from a torn tail is not, because a bad line there is only the end of the
    log. `keep` says how much of each node stays in memory. After an error the replay is of no use.
    """

    def __init__(
        self,
        header: SessionHeader,
        rule: TypeRule,
        keep: Callable[[Event], Event] = whole,
    ) -> None:
        """Raises `ReadFailedError` when the log's format cannot be read by the rule."""
        check_format(header, rule)
        self._header = header
        self._newest_format = rule.newest_format  # what a reader presents older events as
        self._order = LogOrder()
        self._surface = SurfaceFold(
            FORMAT_0 if header.format_version == 0 else FORMATS_3_AND_4, keep
        )
        self._types = UnknownTypes(rule)
        self._turn = OpenTurn()
        self._facts = LogFacts()
        self._silent = rule.known - _HEARD_TYPES

    def feed(self, line: bytes) -> None:
        """Take in the next line, given without its line feed.

        Raises `ReadFailedError` when the log is damaged or holds what the rule refuses.
        """
        event = self._order.take(line, self._header.format_version)
        if event is not None:
            self._apply(event, self._order.length - 1)

    def feed_text(self, text: bytes) -> None:
        """Take in the next lines, each with its line feed. Raises like `feed`."""
        for line in split_lines(text):
            self.feed(line)

    def settle(self) -> None:
        """All lines so far were stored whole, so a bad one among them is damage.

        Raises `ReadFailedError` for it.
        """
        self._order.settle()

    def finish(self) -> Surface:
        """The surface of a stored log; a turn that its end leaves open is closed, as hosts do.

        The replay may go on afterwards: nothing that closes the turn is kept.
        """
        closers = self.closers()
        added = self._surface.beginning()
        for place, event in enumerate(closers):
            added.apply(event, self._order.length + place)
        return self._observed(
            self._surface.nodes() + added.nodes(), self._order.length + len(closers)
        )

    def observe(self) -> Surface:
        """The surface of a live session, whose open turn goes on."""
        return self._observed(self._surface.nodes(), self._order.length)

    def closers(self) -> tuple[Event, ...]:
        """The events that close an open turn; empty when none is open."""
        return self._turn.closers(self._order.length, self._header.format_version)

    def copy(self) -> LogReplay:
        """A replay that goes on alone from here, for lines that may turn out not to last."""
        twin = object.__new__(LogReplay)
        twin._header = self._header
        twin._newest_format = self._newest_format
        twin._order = self._order.copy()
        twin._surface = self._surface.copy()
        twin._types = self._types.copy()
        twin._turn = self._turn.copy()
        twin._facts = self._facts
        twin._silent = self._silent
        return twin

    def state(self) -> dict[str, Any]:
        """What `restored` needs, as JSON: the nodes as they are kept, and what stands open."""
        return {
            "order": self._order.state(),
            "nodes": self._surface.nodes(),
            "types": self._types.state(),
            "turn": self._turn.state(),
            "facts": asdict(self._facts),
        }

    @staticmethod
    def restored(
        header: SessionHeader,
        rule: TypeRule,
        keep: Callable[[Event], Event],
        state: Mapping[str, Any],
    ) -> LogReplay:
        """The replay that a state was taken of, to go on with; made with the same arguments."""
        replay = LogReplay(header, rule, keep)
        replay._order = LogOrder.restored(state["order"])
        replay._surface.put_back(state["nodes"])
        replay._types = UnknownTypes.restored(rule, state["types"])
        replay._turn = OpenTurn.restored(state["turn"])
        replay._facts = LogFacts(**state["facts"])
        return replay

    def _apply(self, event: Event, seq: int) -> None:
        if event["type"] in self._silent and event.keys() == _PLAIN_KEYS:
            return
        try:
            if self._header.format_version == 0:
                event = upgrade(event, self._header.id)
            known = self._types.admit(event, seq)
            if known:
                self._surface.apply(event, seq)
        except ValueError as error:
            raise self._order.refuse(f"(event {seq}) cannot be read: {error}") from error
        if known:
            self._turn.apply(event)
            self._facts = self._facts.after(event)

    def _observed(self, nodes: tuple[Event, ...], length: int) -> Surface:
        return Surface(
            header=self._header,
            captured_through_seq=length - 1 if length else None,
            nodes=nodes,
            title=self._facts.title,
            label=self._facts.label,
            context_window=self._facts.context_window,
            warnings=self._types.warnings(),
            captured_format_version=self._newest_format,
        )
