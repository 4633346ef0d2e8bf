"""A tool result may be replaced only by a shorter telling of the same result (docs/storage.md)."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.javascript import equal
from dsh_lsp.core.log.events import Event


def check_tool_rewrite(event: Event, _seq: int, shadowed: list[tuple[int, Event]]) -> None:
    """A replacing tool result differs from the one it replaces only in what the tool said.

    As in the harness only the first block is looked at. Raises ValueError.
    """
    if event["type"] != "tool/result" or not shadowed:
        return
    if len(shadowed) != 1 or shadowed[0][1]["type"] != "tool/result":
        raise ValueError("it is a tool result and replaces something else than one tool result")
    if not equal(_frame(event), _frame(shadowed[0][1])):
        raise ValueError("it replaces a tool result and changes more than its content")


def _frame(event: Event) -> Any:
    data = event.get("data")
    message = data.get("message") if isinstance(data, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(data, dict) or not isinstance(message, dict) or not isinstance(content, list):
        return data
    first = content[0] if content else None
    if isinstance(first, dict):
        first = {key: value for key, value in first.items() if key != "content"}
    return {**data, "message": {**message, "content": first}}
