"""What stands between taking messages and letting them into a step: a waterfall of listeners."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dsh_lsp.harness.embedded.message import Message


@dataclass(frozen=True, slots=True)
class Step:
    """The step that is proposed, and the messages that were taken for it."""

    session_id: str
    cwd: str | None
    turn: int
    step: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Enter:
    """Let the step begin with exactly these messages."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Reject:
    """End the turn; `reason` is for people. The messages are not kept."""

    reason: str


Decision = Enter | Reject

Proceed = Callable[[], Awaitable[Decision]]
"""Asks the listeners below, and in the end lets the taken messages enter as they are."""


class PreStepListener(Protocol):
    """Sees a step before it begins. It may ask `proceed` and change what comes back."""

    async def __call__(self, step: Step, proceed: Proceed) -> Decision:
        """What to do with the step. An exception ends the turn with an error."""
        ...


async def decide(listeners: Sequence[PreStepListener], step: Step) -> Decision:
    """Ask the listeners, the outermost first."""
    if not listeners:
        return Enter(step.messages)
    outermost, *below = listeners
    return await outermost(step, lambda: decide(below, step))
