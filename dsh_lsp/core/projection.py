"""From a surface to the conversation that another session may read (docs/snapshots.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from dsh_lsp.core.events import Event


@dataclass(frozen=True, slots=True)
class ConversationItem:
    """One message as plain text; a checkpoint summarises what compaction took away."""

    role: Literal["user", "assistant"]
    text: str
    checkpoint: bool = False


def project(nodes: Iterable[Event]) -> tuple[ConversationItem, ...]:
    """The conversation of a surface, in model order; items without text are left out."""
    raise NotImplementedError
