"""What a log says so far, folded event by event: the same for a live session and a reopened one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from dsh_lsp.core.log.events import Event, sequence_number
from dsh_lsp.harness.embedded.draft import Place
from dsh_lsp.harness.embedded.frozen import freeze
from dsh_lsp.harness.embedded.inbox import Inbox, read_splice
from dsh_lsp.harness.embedded.message import Message
from dsh_lsp.harness.port import Receipt, ReceiptState


class Fate(Enum):
    """What has become of a request."""

    PENDING = auto()
    CLAIMED = auto()
    RECORDED = auto()
    REMOVED = auto()
    ENDED = auto()


@dataclass(frozen=True, slots=True)
class Request:
    """One accepted prompt; `texts` are all that it has said, its edits included."""

    texts: tuple[str, ...]
    fate: Fate
    receipt: Receipt

    @property
    def settled(self) -> bool:
        """Whether it came to nothing, so that its id may be used again."""
        return self.fate in (Fate.REMOVED, Fate.ENDED)


class Ledger:
    """The state of one session. Only `apply` changes it."""

    def __init__(self) -> None:
        self.inbox = Inbox()
        self.claimed: tuple[Message, ...] = ()
        """Taken for the step that is about to begin."""
        self.last_turn = 0
        self.open_turn: int | None = None
        self.open_step: Place | None = None
        self.has_system_message = False
        self.title: str | None = None
        self.requests: dict[str, Request] = {}
        self._last_direct: tuple[str, int] | None = None
        self._in_turn: list[str] = []

    def apply(self, event: Event) -> None:
        """Take one more event into account. Raises ValueError or KeyError for a malformed one."""
        data: Any = event["data"]
        match event["type"]:
            case "agent/inbox/spliced":
                self._splice(data)
            case "turn/start":
                self.last_turn = self.open_turn = _number(data["turn"])
                self.claimed = ()
            case "turn/end":
                self._end_turn(data["reason"])
            case "step/start":
                self.open_step = Place(_number(data["turn"]), _number(data["step"]))
                self.claimed = ()
            case "step/end":
                self.open_step = None
            case "system/message":
                self.has_system_message = True
            case "user/message":
                self._record(Message(freeze(data)), event["seq"])
            case "session/title":
                self.title = data["title"]

    def receipt(self, request_id: str) -> Receipt | None:
        """What has become of a request; None when it was never accepted."""
        request = self.requests.get(request_id)
        if request is None or request.fate is not Fate.PENDING:
            return request.receipt if request else None
        waiting = [message.request_id for message in self.inbox.pending]
        return Receipt(ReceiptState.QUEUED, place=waiting.index(request_id) + 1)

    def _splice(self, data: Any) -> None:
        splice = read_splice(data)
        removed = self.inbox.removed(splice)
        self.inbox = self.inbox.spliced(splice)
        if not splice.discards:
            self.claimed += removed
        for message in removed:
            fate = Fate.REMOVED if splice.discards else Fate.CLAIMED
            self._settle(message.request_id, fate, _RECEIPT_OF_FATE[fate])
            if fate is Fate.CLAIMED and message.request_id is not None:
                self._in_turn.append(message.request_id)
        for message in splice.inserted:
            self._insert(message)

    def _insert(self, message: Message) -> None:
        if message.request_id is None:
            return
        before = self.requests.get(message.request_id)
        # An edit and a move take the message out and put it back: its earlier texts still count.
        texts = before.texts if before and before.fate is not Fate.ENDED else ()
        self.requests[message.request_id] = Request(
            texts if message.text in texts else (*texts, message.text), Fate.PENDING, _WAITING
        )

    def _record(self, message: Message, seq: int) -> None:
        if message.request_id is not None:
            self._last_direct = (message.request_id, seq)
            recorded = Receipt(ReceiptState.CAPTURED, message_seq=seq)
            self._settle(message.request_id, Fate.RECORDED, recorded)
        elif message.source["kind"] == "session-reference" and self._last_direct is not None:
            request_id, direct_seq = self._last_direct
            if seq == direct_seq + 1:
                captured = self.requests[request_id].receipt
                references = tuple(dict(each) for each in message.source["references"])
                self._settle(request_id, Fate.RECORDED, replace(captured, references=references))

    def _end_turn(self, reason: Any) -> None:
        self.open_turn = None
        self.claimed = ()
        ended = Receipt(ReceiptState.ENDED, reason=describe(reason))
        for request_id in self._in_turn:
            if self.requests[request_id].fate is Fate.CLAIMED:
                self._settle(request_id, Fate.ENDED, ended)
        self._in_turn.clear()

    def _settle(self, request_id: str | None, fate: Fate, receipt: Receipt) -> None:
        if request_id is not None:
            known = self.requests.get(request_id, Request((), fate, receipt))
            self.requests[request_id] = replace(known, fate=fate, receipt=receipt)


_WAITING = Receipt(ReceiptState.WAITING)
_RECEIPT_OF_FATE = {
    Fate.CLAIMED: _WAITING,
    Fate.REMOVED: Receipt(ReceiptState.ENDED, reason="removed from the queue"),
}


def _number(value: Any) -> int:
    number = sequence_number(value)
    if number is None:
        raise ValueError("a turn or step is not counted by a whole number")
    return number


def describe(reason: Any) -> str:
    """Why a turn ended, for people."""
    error = reason.get("error")
    if error is None:
        return str(reason["kind"])
    return f"{error['message']} ({error['code']})"
