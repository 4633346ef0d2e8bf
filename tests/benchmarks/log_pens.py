"""Writes the records of one session as the hosts of two generations do: formats 4 and 0."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson

Record = dict[str, Any]

PIECE = 12
"""Characters of one piece of a streamed answer."""

_GAPS = (13, 21, 9, 34, 17, 8, 42, 15, 27, 11)
"""Milliseconds between the pieces of a streamed answer, over and over."""

_MODEL = {"provider": "benchmark", "model": "benchmark"}


@dataclass(frozen=True, slots=True)
class Output:
    """What a model gave in one step: reasoning, then an answer, a call of a tool, or both."""

    reasoning: str
    answer: str = ""
    call_id: str = ""

    def blocks(self) -> list[Record]:
        """The content of its message."""
        blocks: list[Record] = [{"type": "reasoning", "text": self.reasoning}]
        if self.answer:
            blocks.append(_text(self.answer))
        if self.call_id:
            call = {"id": self.call_id, "name": "read", "arguments": "{}"}
            blocks.append({"type": "tool-call", **call})
        return blocks


@dataclass(frozen=True, slots=True)
class Pieces:
    """A block as it was streamed, piece by piece."""

    kind: str
    index: int
    texts: list[str]

    def row(self) -> Record:
        """What both formats keep of it."""
        gaps = list(itertools.islice(itertools.cycle(_GAPS), len(self.texts) - 1))
        return {"index": self.index, "dt": gaps, "texts": self.texts}


class Pen:
    """One log under way, in format 4. Each method gives the lines of what happened."""

    version: ClassVar[int] = 4
    _seeded: ClassVar[Record] = {"isSeeded": False}

    def __init__(self, session_id: str, created_at: int, cwd: str) -> None:
        """`created_at` is in milliseconds of the Unix time."""
        self._header: Record = {"type": "session", "version": self.version, "id": session_id}
        self._header |= {"createdAt": created_at, "cwd": cwd, **self._seeded}
        self._header |= {"delegationDepth": 0, "agentPreset": "standard"}
        self._created_at = created_at
        self._seq = self._turn = self._step = 0
        self._first_prompt = 0

    @property
    def turns(self) -> int:
        """How many turns have begun."""
        return self._turn

    @property
    def events(self) -> int:
        """How many events there are; the next one has this number."""
        return self._seq

    def header(self) -> bytes:
        """The first line."""
        return orjson.dumps(self._header) + b"\n"

    def policies(self) -> bytes:
        """What a session begins with."""
        return b"".join(
            (
                self._line("permission/preset", {"preset": "workspace-write"}),
                self._line("sandbox/mode", {"mode": "workspace-write"}),
                self._line("approval/policy", {"policy": "ask"}),
            )
        )

    def begin(self, prompt: str, tools: str) -> bytes:
        """A turn up to its first request, which describes the tools."""
        self._turn, self._step = self._turn + 1, 1
        source = {"kind": "user", "rpcId": f"request-{self._turn}"}
        message = {"content": [_text(prompt)], "source": source}
        message |= {"role": "user", "id": f"message-{self._turn}"}
        queue = {"target": "next-turn", "start": 0}
        lines = [
            self._line("agent/inbox/spliced", {**queue, "inserted": [message]}),
            self._line("turn/start", {"turn": self._turn}),
            self._line("agent/inbox/spliced", {**queue, "removedCount": 1, "inserted": []}),
            self._line("step/start", self._place()),
        ]
        if self._turn == 1:
            lines.append(self._system())
            self._first_prompt = self._seq
        lines.append(self._line("user/message", message, surfaceOp="append"))
        lines.append(self._request(tools))
        return b"".join(lines)

    def call(self, output: Output) -> bytes:
        """The model calls a tool, which begins to run."""
        call = {"callId": output.call_id, "name": "read", "arguments": "{}"}
        return self._model(output) + self._line("tool/call", self._place() | call)

    def result(self, call_id: str, text: str) -> bytes:
        """The tool called last has run; the next step begins."""
        message = self._tool_message(call_id, text) | {"id": f"result-{call_id}"}
        data = self._place() | {"message": message}
        kept = {"sourceEventSeqs": [self._seq - 1], "surfaceOp": "append"}
        lines = self._line("tool/result", data, **kept) + self._line("step/end", self._place())
        self._step += 1
        return lines + self._line("step/start", self._place())

    def end(self, output: Output) -> bytes:
        """The model answers, and the turn is over."""
        reason = {"turn": self._turn, "reason": {"kind": "completed"}}
        return b"".join(
            (
                self._model(output),
                self._line("step/end", self._place()),
                self._line("turn/end", reason),
            )
        )

    def title(self, title: str) -> bytes:
        """A model has named the session, by its first prompt."""
        source = {"kind": "provider", "provider": "benchmark", "model": _MODEL}
        data = {"title": title, "messageSeqs": [self._first_prompt], "source": source}
        return self._line("session/title", data)

    def _system(self) -> bytes:
        message: Record = {"role": "system", "content": [_text("You help.")]}
        message |= {"source": {"kind": "system-prompt"}, "id": "system"}
        data = self._place() | {"message": message}
        return self._line("system/message", data, surfaceOp="append")

    def _request(self, tools: str) -> bytes:
        reason = "initial" if self._turn == 1 else "change"
        return self._line(
            "request/header", {"header": self._request_header(tools), "reason": reason}
        )

    def _request_header(self, tools: str) -> Record:
        tool = {"name": "read", "description": tools, "parameters": {"type": "object"}}
        return {
            "config": {**_MODEL, "maxTokens": 256_000},
            "adapterDefaults": {"maxTokens": True},
            "tools": [tool],
        }

    def _model(self, output: Output) -> bytes:
        stream = []
        for piece in _streamed(output):
            if isinstance(piece, Pieces):
                kind = f"{piece.kind}-chunks"
                stream.append({"type": kind, "time0": self._time(), **piece.row()})
            else:
                stream.append({"type": "chunk", "time": self._time(), "chunk": piece})
        data = self._place() | {"message": self._message(output), "stream": stream}
        return self._line("assistant/message", data, surfaceOp="append")

    def _message(self, output: Output) -> Record:
        source = {"kind": "model", **_MODEL}
        message = {"role": "assistant", "content": output.blocks(), "source": source}
        return message | {"id": f"answer-{self._turn}-{self._step}"}

    def _tool_message(self, call_id: str, text: str) -> Record:
        source = {"kind": "tool", "callId": call_id}
        message: Record = {"role": "tool", "source": source, "toolCallId": call_id}
        return message | {"content": [_text(text)], "isError": False}

    def _line(self, kind: str, data: Mapping[str, Any], **fields: Any) -> bytes:
        event = {"type": kind, "seq": self._seq, "time": self._time(), "data": data, **fields}
        self._seq += 1
        return orjson.dumps(event) + b"\n"

    def _time(self) -> int:
        return self._created_at + self._seq

    def _place(self) -> Record:
        return {"turn": self._turn, "step": self._step}


class OldPen(Pen):
    """The same in format 0, which keeps the pieces of an answer in records of their own."""

    version: ClassVar[int] = 0
    _seeded: ClassVar[Record] = {}

    def _system(self) -> bytes:
        return b""

    def _request_header(self, tools: str) -> Record:
        return {**super()._request_header(tools), "system": "You help."}

    def _model(self, output: Output) -> bytes:
        first = self._seq
        lines = [self._piece(piece) for piece in _streamed(output)]
        data = self._place() | {"message": self._message(output)}
        pieces = list(range(first, self._seq))
        kept = {"sourceEventSeqs": pieces, "surfaceOp": "append"}
        return b"".join(lines) + self._line("assistant/message", data, **kept)

    def _piece(self, piece: Record | Pieces) -> bytes:
        if not isinstance(piece, Pieces):
            return self._line("assistant/chunk", self._place() | {"chunk": piece})
        row: Record = {"type": f"{piece.kind}-chunks", "seq0": self._seq, "time0": self._time()}
        self._seq += len(piece.texts)
        return orjson.dumps(row | {"data": self._place() | piece.row()}) + b"\n"

    def _tool_message(self, call_id: str, text: str) -> Record:
        block: Record = {"type": "tool-result", "toolCallId": call_id, "content": [_text(text)]}
        source = {"kind": "tool", "callId": call_id}
        return {"source": source, "content": [block | {"isError": False}], "role": "user"}


def _streamed(output: Output) -> Iterator[Record | Pieces]:
    """An output as it came in: a record for each event, but for the pieces of text."""
    for index, block in enumerate(output.blocks()):
        yield {"type": "block-start", "index": index, "blockType": block["type"]}
        if block["type"] == "tool-call":
            call = {"id": block["id"], "name": block["name"], "argumentsDelta": "{}"}
            yield {"type": "tool-call-delta", "index": index, **call}
        else:
            text = block["text"]
            texts = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
            yield Pieces(block["type"], index, texts)
        yield {"type": "block-end", "index": index, "block": block}
    yield {"type": "usage", "usage": {"inputTokens": 1, "outputTokens": 1}}
    yield {"type": "finish", "reason": {"kind": "tool-calls" if output.call_id else "stop"}}


def _text(text: str) -> Record:
    return {"type": "text", "text": text}
