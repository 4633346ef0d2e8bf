"""Folding only the names of a session out of its log, of any format (docs/storage.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.events import Event, SessionHeader
from dsh_lsp.core.log.facts import FACT_TYPES, LogFacts
from dsh_lsp.core.log.order import LogOrder
from dsh_lsp.core.log.unknown_types import UnknownTypes, check_title_format
from dsh_lsp.core.log.upgrade import REFUSABLE_TYPES, upgrade

_NONE: frozenset[str] = frozenset()
_TURN_END = "turn/end"  # which every rule knows


class TitleFold:
    """The names that a log tells, folded in a fraction of a replay's time.

    It judges the order of a log as `LogReplay` does and takes the same lines, but a line that
    begins and ends like an event, and whose type tells no name, is believed without parsing it.
    Many lines at a time are looked through by one regular expression.
    """

    def __init__(self, header: SessionHeader, rule: TypeRule) -> None:
        """Raises `ReadFailedError` when the rule is strict and does not open the log's format."""
        check_title_format(header, rule)
        self._header = header
        self._order = LogOrder()
        self._types = UnknownTypes(rule)
        refusable = REFUSABLE_TYPES if header.format_version == 0 else _NONE
        self._lines = _lines(rule, refusable)
        self.facts = LogFacts()
        """The names so far."""

    def feed(self, line: bytes) -> None:
        """Take in the next line, given without its line feed.

        Raises `ReadFailedError` when the log is damaged or holds what the rule refuses.
        """
        self.feed_text(line + b"\n")

    def feed_text(self, text: bytes) -> None:
        """Take in the next lines, each with its line feed. Raises like `feed`."""
        order = self._order
        for ends_turn, seq, other in self._lines.findall(text):
            if seq:
                order.pass_over(int(seq), ends_turn=bool(ends_turn))
                continue
            event = order.take(other, self._header.format_version)
            if event is not None:
                self._apply(event, order.length - 1)

    def settle(self) -> None:
        """All lines so far were stored whole, so a bad one among them is damage.

        Raises `ReadFailedError` for it.
        """
        self._order.settle()

    def copy(self) -> TitleFold:
        """A fold that goes on alone from here, for lines that may turn out not to last."""
        twin = object.__new__(TitleFold)
        twin._header, twin._lines, twin.facts = self._header, self._lines, self.facts
        twin._order = self._order.copy()
        twin._types = self._types.copy()
        return twin

    def state(self) -> dict[str, Any]:
        """What `restored` needs, as JSON."""
        return {"order": self._order.state(), "facts": asdict(self.facts)}

    @staticmethod
    def restored(header: SessionHeader, rule: TypeRule, state: Mapping[str, Any]) -> TitleFold:
        """The fold that a state was taken of, to go on with."""
        fold = TitleFold(header, rule)
        fold._order = LogOrder.restored(state["order"])
        fold.facts = LogFacts(**state["facts"])
        return fold

    def _apply(self, event: Event, seq: int) -> None:
        try:
            if self._header.format_version == 0:
                event = upgrade(event, self._header.id)
        except ValueError as error:
            raise self._order.refuse(f"(event {seq}) cannot be read: {error}") from error
        if self._types.admit(event, seq):
            self.facts = self.facts.after(event)


@lru_cache(maxsize=16)
def _lines(rule: TypeRule, refusable: frozenset[str]) -> re.Pattern[bytes]:
    """Matches a line with its LF. Its groups: whether a turn ends, the number, or any other line.

    The first two belong to a line as harnesses write it, of a type that the rule knows, that tells
    no name and is not refusable; whatever else it holds does not matter.
    """
    silent = rule.known - FACT_TYPES - refusable - {_TURN_END}
    types = "|".join(map(re.escape, sorted(silent)))
    event = rf'"type":"(?:({_TURN_END})|{types})","seq":([0-9]{{1,15}}),"time":[0-9]{{1,15}}'
    return re.compile(rf'\{{{event},"data":\{{.*\}}\n|(.*)\n'.encode())
