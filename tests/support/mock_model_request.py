"""What a harness asks a mock model, in either model protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Body = Mapping[str, Any]

SNAPSHOT_TAG = "\n<referenced-sessions>\n"


class Protocol(StrEnum):
    """How a harness speaks to a model; the value is the end of the path that it posts to."""

    MESSAGES = "/v1/messages"
    CHAT = "/v1/chat/completions"


class Purpose(StrEnum):
    """What a request is for."""

    ANSWER = "answer"
    TITLE = "title"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. `prompts` are the user's texts since the last answer, injected ones included.

    The `snapshots` of referenced sessions stand apart: what they quote must not be obeyed again.
    """

    protocol: Protocol
    purpose: Purpose
    session_id: str
    prompts: tuple[str, ...]
    snapshots: tuple[str, ...]
    follows_tool: bool
    body: Body

    @property
    def text(self) -> str:
        """Everything in the request that a model would see as conversation."""
        return "\n".join(text for message in self.body["messages"] for text in texts(message))


def read_request(protocol: Protocol, headers: Mapping[str, str], body: Body) -> ModelRequest:
    """The request that these (lower-case) headers and this body make."""
    messages = body["messages"]
    answers = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    fresh = messages[answers[-1] + 1 if answers else 0 :]
    given = [text for message in fresh if message["role"] == "user" for text in texts(message)]
    snapshots = tuple(text for text in given if SNAPSHOT_TAG in text)
    prompts = tuple(text for text in given if SNAPSHOT_TAG not in text)
    if "x-deepseek-harness-compact" in headers:
        purpose = Purpose.SUMMARY
    else:
        purpose = Purpose.TITLE if _wants_title(body, prompts) else Purpose.ANSWER
    return ModelRequest(
        protocol=protocol,
        purpose=purpose,
        session_id=headers.get("x-deepseek-harness-session-id", ""),
        prompts=prompts,
        snapshots=snapshots,
        follows_tool=any(_holds_result(message) for message in fresh),
        body=body,
    )


def texts(message: Mapping[str, Any]) -> list[str]:
    """The texts of a message."""
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content or () if block["type"] == "text"]


def _holds_result(message: Mapping[str, Any]) -> bool:
    content = message["content"]
    blocks = content if isinstance(content, list) else []
    return message["role"] == "tool" or any(block["type"] == "tool_result" for block in blocks)


def _wants_title(body: Body, prompts: tuple[str, ...]) -> bool:
    """A title is asked for without tools, by a list of messages in JSON on the last line."""
    if body.get("tools") or not prompts:
        return False
    try:
        asked = json.loads(prompts[-1].rpartition("\n")[2])
    except ValueError:
        return False
    return isinstance(asked, list) and all(isinstance(row, dict) and "seq" in row for row in asked)
