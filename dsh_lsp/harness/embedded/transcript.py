"""A log as a person reads it: snapshots belong to the message before them and show as summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from dsh_lsp.core.display import one_line
from dsh_lsp.core.log.events import Event
from dsh_lsp.harness.embedded.ledger import describe
from dsh_lsp.harness.embedded.responder import plural


class Speaker(StrEnum):
    """Whose words an entry holds."""

    USER = "user"
    ASSISTANT = "assistant"
    CHECKPOINT = "checkpoint"
    CONTEXT = "context"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Recalled:
    """One source of a recorded snapshot, in figures."""

    session_id: str
    label: str
    captured_through_seq: int | None
    compacted: bool
    retained_messages: int
    omitted_messages: int
    truncated: bool

    @property
    def summary(self) -> str:
        """One line about it, safe to display."""
        facts = [plural(self.retained_messages, "message")]
        if self.omitted_messages:
            facts.append(f"{self.omitted_messages} left out")
        elif self.truncated:
            facts.append("shortened")
        if self.compacted:
            facts.append("begins with a summary")
        through = self.captured_through_seq
        facts.append("as of its start" if through is None else f"as of event {through}")
        return f"{one_line(self.label)} ({', '.join(facts)})"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing said or that happened. `seq` is its place in the log."""

    seq: int
    speaker: Speaker
    text: str
    recalled: tuple[Recalled, ...] = ()


def replay(events: Iterable[Event]) -> tuple[Entry, ...]:
    """The transcript of a log of the current format, oldest first.

    A snapshot that stands right behind a direct message is tied to it; its JSON is never shown.
    """
    entries: list[Entry] = []
    before: Event | None = None
    for event in events:
        entry = _entry(event)
        if entry is None:
            continue
        if entry.recalled and before is not None and _is_direct(before):
            entries[-1] = replace(entries[-1], recalled=entry.recalled)
        else:
            entries.append(entry)
        before = event
    return tuple(entries)


def _entry(event: Event) -> Entry | None:
    data: Any = event["data"]
    seq: int = event["seq"]
    if event["type"] == "assistant/message":
        return Entry(seq, Speaker.ASSISTANT, _text(data["message"]))
    if event["type"] == "turn/end" and data["reason"]["kind"] != "completed":
        return Entry(seq, Speaker.NOTICE, f"The turn ended: {describe(data['reason'])}")
    if event["type"] != "user/message":
        return None
    match data["source"]["kind"]:
        case "user":
            return Entry(seq, Speaker.USER, _text(data))
        case "compact-checkpoint":
            return Entry(seq, Speaker.CHECKPOINT, _text(data))
        case "session-reference":
            recalled = tuple(_recalled(record) for record in data["source"]["references"])
            return Entry(seq, Speaker.CONTEXT, "Referenced sessions", recalled)
        case _:
            return Entry(seq, Speaker.CONTEXT, _text(data))


def _is_direct(event: Event) -> bool:
    return bool(event["type"] == "user/message" and event["data"]["source"]["kind"] == "user")


def _text(message: Mapping[str, Any]) -> str:
    return "\n".join(block["text"] for block in message["content"] if block["type"] == "text")


def _recalled(record: Mapping[str, Any]) -> Recalled:
    return Recalled(
        session_id=record["sessionId"],
        label=record["label"],
        captured_through_seq=record["capturedThroughSeq"],
        compacted=record["compacted"],
        retained_messages=record["retainedMessages"],
        omitted_messages=record["omittedMessages"],
        truncated=record["truncated"],
    )
