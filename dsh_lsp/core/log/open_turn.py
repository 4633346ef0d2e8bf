"""What a log leaves open at its end, and the events that close it (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_lsp.core.log.events import Event

_UNKNOWN_OUTCOME = "The session stopped before this tool call ended; what it did is not known."
_FIRST_FORMAT_WITH_TOOL_ROLE = 4

TURN_TYPES = frozenset(
    {"turn/start", "turn/end", "step/start", "step/end", "assistant/message", "tool/result"}
)
"""The event types that open or close something."""


class OpenTurn:
    """Follows turns, steps and tool calls, and knows which are still open."""

    def __init__(self) -> None:
        self._time: Any = None
        self._turn: Any = None
        self._step: Any = None
        self._calls: dict[str, Any] = {}
        self._is_open = False
        self._step_is_open = False

    def apply(self, event: Event) -> None:
        """Take in one event of the log."""
        self._time = event.get("time")
        match event["type"]:
            case "turn/start":
                self._turn, self._is_open = _field(event, "turn"), True
                self._close_step()
            case "turn/end":
                self._is_open = False
                self._close_step()
            case "step/start":
                self._step, self._step_is_open = _field(event, "step"), True
            case "step/end":
                self._close_step()
            case "assistant/message":
                self._begin_calls(event)
            case "tool/result":
                self._calls.pop(_call_id(event), None)

    def closers(self, first_seq: int, format_version: int) -> tuple[Event, ...]:
        """The events that a host adds to close an interrupted turn; none when no turn is open.

        One failed result for each tool call without one, the end of an open step, the end of the
        turn. They are numbered from `first_seq` and bear the time of the last event seen.
        """
        if not self._is_open:
            return ()
        bodies: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
            (
                "tool/result",
                {
                    "turn": self._turn,
                    "step": step,
                    "message": _failed_result(call_id, first_seq + place, format_version),
                },
                {"surfaceOp": "append"},
            )
            for place, (call_id, step) in enumerate(self._calls.items())
        ]
        if self._step_is_open:
            bodies.append(("step/end", {"turn": self._turn, "step": self._step}, {}))
        reason = {"kind": "interrupted"}
        bodies.append(("turn/end", {"turn": self._turn, "reason": reason}, {}))
        return tuple(
            {
                "type": event_type,
                "seq": first_seq + place,
                "time": self._time,
                "data": data,
                **surface,
            }
            for place, (event_type, data, surface) in enumerate(bodies)
        )

    def copy(self) -> OpenTurn:
        """One that goes on alone from here."""
        twin = OpenTurn()
        twin._time, twin._turn, twin._step = self._time, self._turn, self._step
        twin._calls = self._calls.copy()
        twin._is_open, twin._step_is_open = self._is_open, self._step_is_open
        return twin

    def state(self) -> dict[str, Any]:
        """What `restored` needs, as JSON."""
        return {
            "time": self._time,
            "turn": self._turn,
            "step": self._step,
            "isOpen": self._is_open,
            "stepIsOpen": self._step_is_open,
            "calls": self._calls.copy(),
        }

    @staticmethod
    def restored(state: Mapping[str, Any]) -> OpenTurn:
        """The turn that a state was taken of."""
        turn = OpenTurn()
        turn._time, turn._turn, turn._step = state["time"], state["turn"], state["step"]
        turn._is_open, turn._step_is_open = state["isOpen"], state["stepIsOpen"]
        turn._calls = dict(state["calls"])
        return turn

    def _close_step(self) -> None:
        self._step_is_open = False
        self._calls.clear()

    def _begin_calls(self, event: Event) -> None:
        message = _field(event, "message")
        content = message.get("content") if isinstance(message, Mapping) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, Mapping) and block.get("type") == "tool-call":
                call_id = block.get("id")
                if isinstance(call_id, str):
                    self._calls[call_id] = _field(event, "step")


def _failed_result(call_id: str, seq: int, format_version: int) -> dict[str, Any]:
    said = {"content": [{"type": "text", "text": _UNKNOWN_OUTCOME}], "isError": True}
    name = f"interrupted-call:{call_id}:{seq}"
    source = {"kind": "tool", "callId": call_id}
    if format_version >= _FIRST_FORMAT_WITH_TOOL_ROLE:
        return {"role": "tool", "source": source, "toolCallId": call_id, **said, "id": name}
    block = {"type": "tool-result", "toolCallId": call_id, **said}
    return {"role": "user", "source": source, "content": [block], "id": name}


def _call_id(event: Event) -> str:
    message = _field(event, "message")
    source = message.get("source") if isinstance(message, Mapping) else None
    call_id = source.get("callId") if isinstance(source, Mapping) else None
    return call_id if isinstance(call_id, str) else ""


def _field(event: Event, name: str) -> Any:
    data = event.get("data")
    return data.get(name) if isinstance(data, Mapping) else None
