"""How much of a surface node a reader keeps in memory (docs/storage.md)."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.events import Event
from dsh_lsp.core.projection import is_quoted


def whole(event: Event) -> Event:
    """The event but for the stream of an answer, which repeats its text piece by piece."""
    data = event.get("data")
    if not isinstance(data, dict) or "stream" not in data:
        return event
    return {**event, "data": {key: value for key, value in data.items() if key != "stream"}}


def conversation_only(event: Event) -> Event:
    """The event with no more content than a projection of it needs.

    Text that another session may read stays, and of a tool result what a later replacement of it
    is compared with. Everything else goes: what tools said, reasoning, images, injected context.
    """
    data = event.get("data")
    if not isinstance(data, dict):
        return event
    if event["type"] == "user/message":
        return {**event, "data": data if is_quoted(data) else {**data, "content": []}}
    message = data.get("message")
    if not isinstance(message, dict):
        return event
    rest = {key: value for key, value in data.items() if key not in ("stream", "meta")}
    content = _needed(event["type"], message.get("content"))
    return {**event, "data": {**rest, "message": {**message, "content": content}}}


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
