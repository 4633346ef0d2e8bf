"""The records of an answer, in the shape in which a harness keeps one that a model streamed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dsh_lsp.harness.embedded.draft import APPEND, Draft, Place, failure


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who answers, by the names that a log gives: a provider and one of its models."""

    provider: str
    model: str


def token_count(text: str) -> int:
    """A rough count of tokens: four UTF-8 bytes each."""
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4


def usage(given: str, said: str) -> dict[str, int]:
    """The token counts of a request, estimated from its texts."""
    given_tokens, said_tokens = token_count(given), token_count(said)
    return {
        "inputTokens": given_tokens,
        "outputTokens": said_tokens,
        "totalTokens": given_tokens + said_tokens,
    }


def assistant_message(
    place: Place, speaker: Speaker, message_id: str, text: str, *, given: str, time: int
) -> Draft:
    """A whole answer. `given` is what was asked, `time` when the answer came (Unix ms)."""
    block = {"type": "text", "text": text}
    tokens = usage(given, text)
    message = {
        "role": "assistant",
        "content": [block],
        "source": {"kind": "model", "provider": speaker.provider, "model": speaker.model},
        "id": message_id,
    }
    stream = [
        _chunk(time, {"type": "block-start", "index": 0, "blockType": "text"}),
        {"type": "text-chunks", "time0": time, "index": 0, "dt": [], "texts": [text]},
        _chunk(time, {"type": "block-end", "index": 0, "block": block}),
        _chunk(time, {"type": "usage", "usage": tokens}),
        _chunk(time, {"type": "finish", "reason": {"kind": "stop"}}),
    ]
    data = {**place.data, "message": message, "usage": tokens, "stream": stream}
    return Draft("assistant/message", data, surface_op=APPEND)


def failed_attempt(place: Place, error: BaseException, *, time: int) -> Draft:
    """An answer that did not come."""
    finish = {"type": "finish", "reason": {"kind": "error", "failure": failure(error)}}
    return Draft("assistant/attempt", {**place.data, "stream": [_chunk(time, finish)]})


def _chunk(time: int, chunk: dict[str, Any]) -> dict[str, Any]:
    return {"type": "chunk", "time": time, "chunk": chunk}
