"""Older records of format 0, read as the current ones (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dsh_lsp.core.log.events import Event

_REMOVED_TYPES = frozenset({"request/header-delta", "mode/set"})
REFUSABLE_TYPES = _REMOVED_TYPES | {"request/header"}
"""Event types that may make a whole log unreadable."""


def upgrade(event: Event, session_id: str) -> Event:
    """The event in its current form; current events come back as they are.

    Raises ValueError for records that no later harness can read, and for older forms that lack
    what the current one needs.
    """
    event_type, data = event["type"], event.get("data")
    if event_type in _REMOVED_TYPES:
        raise ValueError("is a record that harnesses stopped reading before 0.1.0")
    step = _STEPS.get(event_type)
    if step is None or not isinstance(data, dict):
        return event
    return step(event, data, f"legacy-message:{session_id}:{event['seq']}")


def _refuse_fallback(event: Event, data: dict[str, Any], _message_id: str) -> Event:
    if data.get("reason") == "fallback":
        raise ValueError("is a request header of a kind that harnesses stopped reading")
    return event


def _user_message(event: Event, data: dict[str, Any], message_id: str) -> Event:
    if "id" in data and "role" in data:
        return event
    return {**event, "data": {"role": "user", "id": message_id, **data}}


def _steering(event: Event, data: dict[str, Any], message_id: str) -> Event:
    inner = data.get("message")
    if isinstance(inner, dict):
        message = inner
    else:
        message = {key: value for key, value in data.items() if key != "turn"}
    return _user_message({**event, "type": "user/message", "data": message}, message, message_id)


def _assistant_message(event: Event, data: dict[str, Any], message_id: str) -> Event:
    if "message" in data:
        return event
    rest = {key: value for key, value in data.items() if key not in ("content", "provenance")}
    model = data.get("provenance")
    message = {
        "role": "assistant",
        "content": data.get("content"),
        "source": {"kind": "model", **(model if isinstance(model, dict) else {})},
        "id": message_id,
    }
    return {**event, "data": {**rest, "message": message}}


def _tool_result(event: Event, data: dict[str, Any], message_id: str) -> Event:
    if "message" in data:
        return event
    inner = ("callId", "content", "isError")
    rest = {key: value for key, value in data.items() if key not in inner}
    call_id = data.get("callId")
    block = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": data.get("content"),
        "isError": data.get("isError", False),
    }
    message = {
        "source": {"kind": "tool", "callId": call_id},
        "content": [block],
        "role": "user",
        "id": message_id,
    }
    return {**event, "data": {**rest, "message": message}}


def _turn_start(event: Event, data: dict[str, Any], _message_id: str) -> Event:
    if "trigger" not in data:
        return event
    return {**event, "data": {key: value for key, value in data.items() if key != "trigger"}}


def _turn_end(event: Event, data: dict[str, Any], _message_id: str) -> Event:
    reason = data.get("reason")
    if not isinstance(reason, dict):
        return event
    current = _end_reason(reason)
    return event if current is reason else {**event, "data": {**data, "reason": current}}


def _end_reason(reason: dict[str, Any]) -> dict[str, Any]:
    match reason.get("kind"):
        case "aborted" if not isinstance(reason.get("reason"), dict):
            return {"kind": "aborted", "reason": {"kind": "user"}}
        case "disposed":
            return {"kind": "aborted", "reason": {"kind": "disposed"}}
        case "error" if "error" not in reason:
            failure = reason.get("failure")
            error = failure if isinstance(failure, dict) else {"message": reason.get("message", "")}
            return {"kind": "error", "error": {"code": "UNKNOWN", **error}}
    return reason


_STEPS: dict[str, Callable[[Event, dict[str, Any], str], Event]] = {
    "request/header": _refuse_fallback,
    "user/message": _user_message,
    "steering/message": _steering,
    "assistant/message": _assistant_message,
    "tool/result": _tool_result,
    "turn/start": _turn_start,
    "turn/end": _turn_end,
}
