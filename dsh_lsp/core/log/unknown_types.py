"""Formats and event types that a reader does not know (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Iterable

from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.event_types import TypeRule, Unknown
from dsh_lsp.core.log.events import Event, SessionHeader

_OLD_FORMATS = (1, 2)
_MOST_NAMED = 5
_LONGEST_NAME = 60


def check_newest_format(header: SessionHeader, rule: TypeRule) -> None:
    """Raises `ReadFailedError` for a log that is newer than the rule knows."""
    if header.format_version > rule.newest_format:
        raise ReadFailedError(
            f"the session's log has format {header.format_version}, which is newer than this "
            f"reader knows ({rule.newest_format}): upgrade dsh-lsp",
            ReadFault.NEWER_FORMAT,
        )


def check_format(header: SessionHeader, rule: TypeRule) -> None:
    """Raises `ReadFailedError` for a log whose surface the rule cannot read."""
    check_newest_format(header, rule)
    version = header.format_version
    if version in _OLD_FORMATS:
        raise ReadFailedError(
            f"the session's log has format {version}, whose events only a harness can renumber: "
            "open the session once in a current harness, which rewrites it",
            ReadFault.OLD_FORMAT,
        )


def check_title_format(header: SessionHeader, rule: TypeRule) -> None:
    """Raises `ReadFailedError` for a log that a strict rule does not open even for its title."""
    if rule.unknown is Unknown.REFUSE:
        check_newest_format(header, rule)


class UnknownTypes:
    """Judges events by a rule and remembers what it passed over."""

    def __init__(self, rule: TypeRule) -> None:
        self._rule = rule
        self._passed_over: dict[str, None] = {}

    def admit(self, event: Event, seq: int) -> bool:
        """Whether the event's type is known; an unknown one is passed over or refused.

        Raises `ReadFailedError` for a refused one.
        """
        event_type = event["type"]
        if event_type in self._rule.known:
            return True
        if "surfaceOp" in event:
            raise _unknown(event_type, seq, "changes the conversation in a way")
        if event.get("ignorable") is True:
            return False
        if self._rule.unknown is Unknown.REFUSE:
            raise _unknown(event_type, seq, "is of a type")
        if len(self._passed_over) <= _MOST_NAMED:
            self._passed_over[event_type] = None
        return False

    def warnings(self) -> tuple[str, ...]:
        """A sentence for people when something was passed over."""
        if not self._passed_over:
            return ()
        names = [_name(event_type) for event_type in self._passed_over]
        if len(names) > _MOST_NAMED:
            names[_MOST_NAMED:] = ["others"]
        sentence = (
            f"the log holds events that this reader does not know ({', '.join(names)}); "
            "a host may refuse to read the session"
        )
        return (sentence,)

    def copy(self) -> UnknownTypes:
        """One that goes on alone from here."""
        twin = UnknownTypes(self._rule)
        twin._passed_over = self._passed_over.copy()
        return twin

    def state(self) -> list[str]:
        """What `restored` needs, as JSON."""
        return list(self._passed_over)

    @staticmethod
    def restored(rule: TypeRule, state: Iterable[str]) -> UnknownTypes:
        """The judge that a state was taken of."""
        types = UnknownTypes(rule)
        types._passed_over = dict.fromkeys(state)
        return types


def _unknown(event_type: str, seq: int, what: str) -> ReadFailedError:
    return ReadFailedError(
        f"event {seq} of the session's log {what} that this reader does not know "
        f"({_name(event_type)}); it was probably written by a newer harness: upgrade dsh-lsp, or "
        "mention another session",
        ReadFault.UNKNOWN_EVENT,
    )


def _name(event_type: str) -> str:
    shown = one_line(event_type)
    return shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…"
