"""From a surface to the conversation that another session may read (docs/snapshots.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dsh_lsp.core.log.events import Event

_CHECKPOINT_KIND = "compact-checkpoint"  # format 4
_CHECKPOINT_PLUGIN = "compact"  # formats 0 to 3
_SILENT_TYPES = frozenset({"tool/result", "system/message", "developer/message"})


@dataclass(frozen=True, slots=True)
class ConversationItem:
    """One message as plain text; a checkpoint summarises what compaction took away."""

    role: Literal["user", "assistant"]
    text: str
    checkpoint: bool = False


def project(nodes: Iterable[Event]) -> tuple[ConversationItem, ...]:
    """The conversation of a surface, in model order; items without text are left out.

    Raises ValueError for an event that cannot be on a surface.
    """
    items = (_item(node) for node in nodes)
    return tuple(item for item in items if item is not None and item.text)


def is_checkpoint(source: Any) -> bool:
    """Whether the source of a user message marks a compaction checkpoint, of any format."""
    kind, plugin = _field(source, "kind"), _field(source, "plugin")
    return bool(kind == _CHECKPOINT_KIND or (kind == "plugin" and plugin == _CHECKPOINT_PLUGIN))


def is_quoted(message: Any) -> bool:
    """Whether a user message belongs to the conversation: typed by the user, or a checkpoint."""
    source = _field(message, "source")
    return is_checkpoint(source) or bool(_field(source, "kind") == "user")


def block_text(content: Any) -> str:
    """The text blocks of a message's content, joined by line feeds."""
    if not isinstance(content, list):
        return ""
    texts = (_field(block, "text") for block in content if _field(block, "type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def _item(node: Event) -> ConversationItem | None:
    event_type, data = node.get("type"), node.get("data")
    if event_type == "assistant/message":
        message = _field(data, "message")
        return ConversationItem("assistant", block_text(_field(message, "content")))
    if event_type == "user/message":
        return _user_item(data)
    if event_type in _SILENT_TYPES:
        return None
    raise ValueError("an event that is not a message cannot be on the surface")


def _user_item(data: Any) -> ConversationItem | None:
    if not is_quoted(data):
        return None
    checkpoint = is_checkpoint(_field(data, "source"))
    return ConversationItem("user", block_text(_typed_content(data)), checkpoint)


def _typed_content(data: Any) -> Any:
    """What the user typed: an older form keeps that beside a content with a baked prefix."""
    shown = _field(_field(data, "envelope"), "displayContent")
    return shown if isinstance(shown, list) else _field(data, "content")


def _field(value: Any, name: str) -> Any:
    if type(value) is dict:  # nearly always, and asking about any mapping takes far longer
        return value.get(name)
    return value.get(name) if isinstance(value, Mapping) else None
