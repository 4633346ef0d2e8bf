"""The messages that an inbox and a log hold; immutable from the moment they are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_lsp.core.prepare import ContextMessage
from dsh_lsp.harness.embedded.frozen import freeze


@dataclass(frozen=True, slots=True)
class Message:
    """One user message. `record` is what a log stores of it, frozen all the way down."""

    record: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The name that the message keeps through edits, moves and its way into the log."""
        return str(self.record["id"])

    @property
    def source(self) -> Mapping[str, Any]:
        """Who the message comes from; `kind` tells which other fields there are."""
        source: Mapping[str, Any] = self.record["source"]
        return source

    @property
    def direct(self) -> bool:
        """Whether a user wrote it, as opposed to context that a program adds."""
        return bool(self.source["kind"] == "user")

    @property
    def request_id(self) -> str | None:
        """The id that its sender gave the request."""
        return self.source.get("rpcId") if self.direct else None

    @property
    def texts(self) -> tuple[str, ...]:
        """Its text blocks, in order."""
        return tuple(block["text"] for block in self.record["content"] if block["type"] == "text")

    @property
    def text(self) -> str:
        """All its text."""
        return "\n".join(self.texts)

    def with_text(self, text: str) -> Message:
        """The same message saying something else."""
        return Message(freeze({**self.record, "content": _blocks([text])}))

    def rewritten(self, rewrite: Callable[[str], str]) -> Message:
        """The same message with each text block replaced by what `rewrite` makes of it."""
        content = [
            {**block, "text": rewrite(block["text"])} if block["type"] == "text" else block
            for block in self.record["content"]
        ]
        return Message(freeze({**self.record, "content": content}))


def prompt(message_id: str, text: str, *, request_id: str, time_zone: str | None = None) -> Message:
    """What a user sends. `time_zone` is an IANA name."""
    source = {"kind": "user", "rpcId": request_id}
    if time_zone is not None:
        source["clientTimeZone"] = time_zone
    return _message(message_id, [text], source)


def checkpoint(
    message_id: str, texts: Sequence[str], *, compaction_id: str, command_id: str
) -> Message:
    """The message that stands for everything that a compaction took away."""
    source = {
        "kind": "compact-checkpoint",
        "compactionId": compaction_id,
        "sourceCommandId": command_id,
    }
    return _message(message_id, texts, source)


def snapshot(message_id: str, context: ContextMessage) -> Message:
    """The frozen snapshot of referenced sessions, as a message of its own."""
    record = {
        "source": context.source,
        "content": _blocks([context.text]),
        "role": "user",
        "id": message_id,
    }
    return Message(freeze(record))


def _message(message_id: str, texts: Sequence[str], source: Mapping[str, Any]) -> Message:
    record = {"content": _blocks(texts), "source": source, "role": "user", "id": message_id}
    return Message(freeze(record))


def _blocks(texts: Sequence[str]) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]
