"""The two forms in which a model's answer is streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from tests.support import mock_model_request as request


class Stream(Protocol):
    """Turns what a model does into the bytes of an event stream."""

    def begin(self) -> bytes: ...

    def say(self, text: str) -> bytes: ...

    def think(self, text: str) -> bytes: ...

    def call(self, call_id: str, name: str, arguments: Mapping[str, Any]) -> bytes: ...

    def finish(self) -> bytes: ...


class MessagesStream:
    """The newer harness's protocol: content blocks that start, grow and stop."""

    def __init__(self) -> None:
        self._index = -1
        self._open: str | None = None
        self._stop_reason = "end_turn"

    def begin(self) -> bytes:
        usage = {"input_tokens": 1, "output_tokens": 0}
        return _frames({"type": "message_start", "message": {"usage": usage}})

    def say(self, text: str) -> bytes:
        start = self._start("text", {"type": "text", "text": ""})
        return _frames(*start, self._delta({"type": "text_delta", "text": text}))

    def think(self, text: str) -> bytes:
        start = self._start("thinking", {"type": "thinking", "thinking": ""})
        return _frames(*start, self._delta({"type": "thinking_delta", "thinking": text}))

    def call(self, call_id: str, name: str, arguments: Mapping[str, Any]) -> bytes:
        self._stop_reason = "tool_use"
        block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        return _frames(*self._start(call_id, block), self._delta(delta))

    def finish(self) -> bytes:
        end = {"type": "message_delta", "delta": {"stop_reason": self._stop_reason}}
        usage = {"usage": {"output_tokens": 5}}
        return _frames(*self._stop(), end | usage, {"type": "message_stop"})

    def _start(self, kind: str, block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if self._open == kind:
            return
        yield from self._stop()
        self._open = kind
        self._index += 1
        yield {"type": "content_block_start", "index": self._index, "content_block": block}

    def _delta(self, delta: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}

    def _stop(self) -> Iterator[dict[str, Any]]:
        if self._open is not None:
            self._open = None
            yield {"type": "content_block_stop", "index": self._index}


class ChatStream:
    """The older harness's protocol: deltas of one message."""

    def __init__(self) -> None:
        self._calls = 0

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def say(self, text: str) -> bytes:
        return self._chunk({"content": text})

    def think(self, text: str) -> bytes:
        return self._chunk({"reasoning_content": text})

    def call(self, call_id: str, name: str, arguments: Mapping[str, Any]) -> bytes:
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": self._calls, "id": call_id, "type": "function", "function": function}
        self._calls += 1
        return self._chunk({"tool_calls": [call]})

    def finish(self) -> bytes:
        reason = "tool_calls" if self._calls else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 5, "total_tokens": 6}
        choice = {"index": 0, "delta": {}, "finish_reason": reason}
        return _frames({"choices": [choice], "usage": usage}) + b"data: [DONE]\n\n"

    def _chunk(self, delta: Mapping[str, Any]) -> bytes:
        return _frames({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def stream_for(protocol: request.Protocol) -> Stream:
    """A new stream in this protocol."""
    return MessagesStream() if protocol is request.Protocol.MESSAGES else ChatStream()


def _frames(*events: Mapping[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
