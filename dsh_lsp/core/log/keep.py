"""How much of a surface node a reader keeps in memory (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dsh_lsp.core.log.events import Event
from dsh_lsp.core.projection import is_quoted


def whole(event: Event) -> Event:
    """The event but for the stream of an answer, which repeats its text piece by piece."""
    data = event.get("data")
    if not isinstance(data, dict) or "stream" not in data:
        return event
    return {**event, "data": {key: value for key, value in data.items() if key != "stream"}}


def conversation_of(format_version: int) -> Callable[[Event], Event]:
    """How little of a node a projection needs: later formats never compare tool results."""
    return conversation_only if format_version == 0 else _text_only


def conversation_only(event: Event) -> Event:
    """The event with no more than a projection of it needs, since logs hold thousands of them.

    Text that another session may read stays, and of a tool result what a later replacement of it
    is compared with. Everything else goes: what tools said, reasoning, images, injected context,
    and of other messages also who sent them when, and to which turn they belong.
    """
    data = event.get("data")
    if not isinstance(data, dict):
        return event
    event_type = event["type"]
    if event_type == "user/message":
        return _slim(event, data if is_quoted(data) else {})
    message = data.get("message")
    if not isinstance(message, dict):
        return event
    content = _needed(event_type, message.get("content"))
    if event_type != "tool/result":
        return _slim(event, {"message": {"content": content}})
    rest = {key: value for key, value in data.items() if key not in ("stream", "meta")}
    return _slim(event, {**rest, "message": {**message, "content": content}})


def _text_only(event: Event) -> Event:
    return _slim(event, {}) if event["type"] == "tool/result" else conversation_only(event)


def _slim(event: Event, data: dict[str, Any]) -> Event:
    return {"type": event["type"], "seq": event["seq"], "data": data}


def _needed(event_type: str, content: Any) -> list[Any]:
    if not isinstance(content, list):
        return []
    if event_type == "assistant/message":
        return [
            block for block in content if isinstance(block, dict) and block.get("type") == "text"
        ]
    if event_type != "tool/result" or not content or not isinstance(content[0], dict):
        return []
    return [{key: value for key, value in content[0].items() if key not in ("content", "text")}]


def text_length(event: Event) -> int:
    """Characters of the text in a node."""
    data = event.get("data")
    message = data.get("message", data) if isinstance(data, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else ()
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return sum(len(text) for text in texts if isinstance(text, str))
