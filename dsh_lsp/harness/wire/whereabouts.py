"""Where a prompt is, found by its request id in a stretch of the target's log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from dsh_lsp.core.display import one_line
from dsh_lsp.core.log.events import Event, sequence_number

_MAX_REASON = 400
_FIRST_QUEUE = "next-step"  # it is emptied before the queue of the next turn


class Stage(StrEnum):
    """How far a prompt has come."""

    NOWHERE = "nowhere"
    QUEUED = "queued"
    TAKEN = "taken"  # a turn has it; neither recorded nor ended yet
    RECORDED = "recorded"  # the message is in the log
    ENDED = "ended"  # its turn ended, or it was dropped, before it was recorded


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a prompt is.

    `place` counts from 1, `reason` says why it ended, or how the turn that recorded it did.
    `copies` counts the messages that were made of it: more than one is a prompt sent twice.
    `references` are the entries of the snapshot that was recorded with it.
    """

    stage: Stage = Stage.NOWHERE
    place: int | None = None
    message_id: str | None = None
    message_seq: int | None = None
    reason: str | None = None
    references: tuple[Mapping[str, Any], ...] = ()
    copies: int = 0


def find_request(events: Iterable[Event], request_id: str) -> Whereabouts:
    """Where the prompt with a request id is, after the events of one session in their order.

    The events may begin anywhere before the prompt entered the session; an end of the log that is
    missing only makes the answer older. Shapes are checked: events of a strange shape say nothing.
    """
    trace = _Trace(request_id)
    for event in events:
        trace.take(event)
    return trace.found()


@dataclass(slots=True)
class _Trace:
    request_id: str
    now: Whereabouts = field(default_factory=Whereabouts)
    queue: str | None = None
    index: int = 0
    lengths: dict[str, int] = field(default_factory=dict)
    copies: set[str] = field(default_factory=set)

    def take(self, event: Event) -> None:
        """Take in the next event."""
        data = event.get("data")
        if not isinstance(data, dict):
            return
        match event.get("type"):
            case "agent/inbox/spliced":
                self._splice(data)
            case "user/message":
                self._message(data, sequence_number(event.get("seq")))
            case "turn/end":
                self._end_turn(data.get("reason"))

    def found(self) -> Whereabouts:
        """Where the prompt is now."""
        return replace(self.now, copies=len(self.copies), place=self._place())

    def _place(self) -> int | None:
        if self.queue is None:
            return None
        before = 0 if self.queue == _FIRST_QUEUE else self.lengths.get(_FIRST_QUEUE, 0)
        return before + self.index + 1

    def _splice(self, data: Mapping[str, Any]) -> None:
        queue, start = data.get("target"), sequence_number(data.get("start"))
        removed = sequence_number(data.get("removedCount", 0))
        inserted = data.get("inserted")
        if not isinstance(queue, str) or start is None or removed is None:
            return
        messages = inserted if isinstance(inserted, list) else []
        self._remove(queue, start, removed, dropped=data.get("outcome") == "canceled")
        if self.queue == queue and start <= self.index:
            self.index += len(messages)
        length = self.lengths.get(queue, 0) - removed
        self.lengths[queue] = max(0, length) + len(messages)
        for place, message in enumerate(messages):
            if _request_id(message) == self.request_id:
                self._insert(queue, start + place, _own_id(message))

    def _remove(self, queue: str, start: int, removed: int, *, dropped: bool) -> None:
        if self.queue != queue or start > self.index:
            return
        if self.index >= start + removed:
            self.index -= removed
            return
        self.queue = None
        stage = Stage.ENDED if dropped else Stage.TAKEN
        reason = "it was removed from the queue, or the host was stopped" if dropped else None
        self.now = replace(self.now, stage=stage, reason=reason)

    def _insert(self, queue: str, index: int, message_id: str | None) -> None:
        self._note_copy(message_id)
        if self.now.stage is Stage.RECORDED:
            return
        self.queue, self.index = queue, index
        self.now = Whereabouts(Stage.QUEUED, message_id=message_id)

    def _message(self, data: Mapping[str, Any], seq: int | None) -> None:
        if _request_id(data) == self.request_id:
            self._note_copy(_own_id(data))
            if self.now.stage is not Stage.RECORDED:
                self.queue = None
                self.now = Whereabouts(Stage.RECORDED, message_id=_own_id(data), message_seq=seq)
        elif seq is not None and self.now.message_seq == seq - 1:
            self.now = replace(self.now, references=_references(data))

    def _end_turn(self, reason: Any) -> None:
        if self.now.stage is Stage.TAKEN:
            self.now = replace(self.now, stage=Stage.ENDED, reason=in_words(reason))
        elif self.now.stage is Stage.RECORDED and self.now.reason is None:
            self.now = replace(self.now, reason=in_words(reason))

    def _note_copy(self, message_id: str | None) -> None:
        if message_id is not None:
            self.copies.add(message_id)


def in_words(reason: Any) -> str:
    """Why a turn ended, for people."""
    if not isinstance(reason, dict):
        return "unknown"
    error = reason.get("error")
    words = error.get("message") if isinstance(error, dict) else None
    told = words if isinstance(words, str) else reason.get("kind")
    return one_line(told[:_MAX_REASON]) if isinstance(told, str) else "unknown"


def _request_id(message: Any) -> str | None:
    source = message.get("source") if isinstance(message, dict) else None
    found = source.get("rpcId") if isinstance(source, dict) else None
    return found if isinstance(found, str) else None


def _own_id(message: Mapping[str, Any]) -> str | None:
    found = message.get("id")
    return found if isinstance(found, str) else None


def _references(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    source = data.get("source")
    if not isinstance(source, dict) or source.get("kind") != "session-reference":
        return ()
    entries = source.get("references")
    return (
        tuple(each for each in entries if isinstance(each, dict))
        if isinstance(entries, list)
        else ()
    )
