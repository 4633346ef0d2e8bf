"""Who answers in an embedded session, and what it is given: the folded log and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from dsh_lsp.core.log.events import Event
from dsh_lsp.harness.embedded.answer import Speaker

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """One message as a model sees it, text only."""

    role: Role
    text: str


def model_input(nodes: Iterable[Event]) -> tuple[ModelMessage, ...]:
    """What a model is given: the current surface in order, snapshots and checkpoints included."""
    return tuple(_model_message(node) for node in nodes)


def all_text(messages: Iterable[ModelMessage]) -> str:
    """All text of these messages."""
    return "\n".join(message.text for message in messages)


def plural(count: int, noun: str) -> str:
    """A count for people."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _model_message(node: Event) -> ModelMessage:
    data = node["data"]
    message: Any = data if node["type"] == "user/message" else data["message"]
    texts = [block["text"] for block in message["content"] if block["type"] == "text"]
    return ModelMessage(message["role"], "\n".join(texts))


class Responder(Protocol):
    """Answers. An exception ends the turn with an error; cancelling it ends the turn as aborted."""

    speaker: Speaker

    async def respond(self, messages: Sequence[ModelMessage]) -> str:
        """The answer to a conversation. An empty one counts as an error."""
        ...

    async def summarize(self, messages: Sequence[ModelMessage]) -> str:
        """A summary that can stand for these messages from now on."""
        ...


class Acknowledger:
    """Answers without a model: it says what it was given, so that a person can check it."""

    speaker = Speaker("dsh-lsp", "acknowledger")

    async def respond(self, messages: Sequence[ModelMessage]) -> str:
        """A confirmation that the message is recorded."""
        count = sum(message.role != "system" for message in messages)
        return (
            f"Recorded. The conversation now has {plural(count, 'message')}. "
            "This is the embedded harness of dsh-lsp: no model answers here."
        )

    async def summarize(self, messages: Sequence[ModelMessage]) -> str:
        """The first line of everything that users and assistants said."""
        spoken = (message for message in messages if message.role in ("user", "assistant"))
        lines = (f"- {message.role}: {message.text.strip()}" for message in spoken)
        return "\n".join(line.partition("\n")[0][:200] for line in lines)
