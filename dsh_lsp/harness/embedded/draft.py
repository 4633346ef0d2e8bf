"""Events before they have a place in a log: every record that the embedded harness writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.harness.embedded.inbox import Splice
from dsh_lsp.harness.embedded.message import Message

APPEND = "append"


@dataclass(frozen=True, slots=True)
class Draft:
    """One event that still lacks its sequence number and time."""

    type: str
    data: Mapping[str, Any]
    source_event_seqs: Sequence[int] | None = None
    surface_op: str | Mapping[str, Any] | None = None

    def record(self, seq: int, time: int) -> dict[str, Any]:
        """The line of the log that this event becomes; `time` is in Unix milliseconds."""
        record = {"type": self.type, "seq": seq, "time": time, "data": self.data}
        if self.source_event_seqs is not None:
            record["sourceEventSeqs"] = list(self.source_event_seqs)
        if self.surface_op is not None:
            record["surfaceOp"] = self.surface_op
        return record


@dataclass(frozen=True, slots=True)
class Place:
    """A turn and the step in it, both counted from 1."""

    turn: int
    step: int

    @property
    def data(self) -> dict[str, int]:
        """The fields that name this place in a log."""
        return {"turn": self.turn, "step": self.step}


def policies() -> tuple[Draft, ...]:
    """The first events of a session: a harness that resumes it asks before it changes things."""
    return (
        Draft("permission/preset", {"preset": "workspace-write"}),
        Draft("sandbox/mode", {"mode": "workspace-write"}),
        Draft("approval/policy", {"policy": "ask"}),
    )


def resumed() -> Draft:
    """Marks that what stood before was written by an earlier run."""
    return Draft("session/end-seed", {})


def spliced(splices: Sequence[Splice]) -> tuple[Draft, ...]:
    """Changes of the inbox."""
    return tuple(Draft("agent/inbox/spliced", splice.data()) for splice in splices)


def turn_start(turn: int) -> Draft:
    """A turn begins."""
    return Draft("turn/start", {"turn": turn})


def turn_end(turn: int, reason: Mapping[str, Any]) -> Draft:
    """A turn is over."""
    return Draft("turn/end", {"turn": turn, "reason": reason})


COMPLETED = {"kind": "completed"}
BLOCKED = {"kind": "blocked"}
INTERRUPTED = {"kind": "interrupted"}
ABORTED = {"kind": "aborted", "reason": {"kind": "user"}}


def failed(error: BaseException) -> dict[str, Any]:
    """The reason of a turn that an error ended."""
    return {"kind": "error", "error": failure(error)}


def failure(error: BaseException) -> dict[str, str]:
    """What a log says of an error: a message for people and a stable code."""
    if isinstance(error, SessionReferenceError):
        return {"message": error.message, "code": error.code.value}
    return {"message": str(error) or type(error).__name__, "code": "UNKNOWN"}


def step_start(place: Place) -> Draft:
    """A step begins."""
    return Draft("step/start", place.data)


def step_end(place: Place) -> Draft:
    """A step is over."""
    return Draft("step/end", place.data)


def system_message(place: Place, message_id: str, text: str) -> Draft:
    """What a model is told before everything else."""
    message = {
        "role": "system",
        "content": [{"type": "text", "text": text}],
        "source": {"kind": "system-prompt"},
        "id": message_id,
    }
    return Draft("system/message", {**place.data, "message": message}, surface_op=APPEND)


def user_message(message: Message) -> Draft:
    """A message becomes visible to the model."""
    return Draft("user/message", message.record, surface_op=APPEND)


def title(text: str, *, message_seqs: Sequence[int], source: str) -> Draft:
    """The session is called `text` from now on; `source` is `fallback` or `user`."""
    data = {"title": text, "messageSeqs": list(message_seqs), "source": {"kind": source}}
    return Draft("session/title", data)
