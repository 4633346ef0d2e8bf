"""Writes the events of a session, in any format, the way a harness would."""

from __future__ import annotations

import json
from typing import Any

Record = dict[str, Any]

CHECKPOINT_INTRO = "A checkpoint of what came before.\n\n<compacted-summary>"


class Script:
    """A session under way. Each method appends events; `batches` are what lands in one frame."""

    def __init__(
        self,
        session_id: str,
        *,
        version: int,
        created_at: int = 1_000,
        cwd: str | None = "/home/dev/proj",
        **header: Any,
    ) -> None:
        self.version = version
        self.header: Record = {"type": "session", "version": version, "id": session_id}
        self.header |= {"createdAt": created_at} | ({"cwd": cwd} if cwd is not None else {})
        self.header |= {"isSeeded": False} if version >= 2 else {}
        self.header |= {"delegationDepth": 0} | header
        self.batches: list[list[Record]] = []
        self.seq = 0
        self._turn = 0
        self._surface: list[int] = []

    @property
    def session_id(self) -> str:
        return str(self.header["id"])

    @property
    def events(self) -> list[Record]:
        return [record for batch in self.batches for record in batch]

    def batch(self) -> None:
        """What follows goes into a frame of its own."""
        self.batches.append([])

    def add(self, kind: str, data: Any, **fields: Any) -> int:
        """Append one event and return its sequence number."""
        seq = self.seq
        self._row({"type": kind, "seq": seq, "time": 1_000 + seq, "data": data, **fields}, 1)
        operation = fields.get("surfaceOp")
        if operation == "append":
            self._surface.append(seq)
        return seq

    def policies(self) -> None:
        self.add("permission/preset", {"preset": "workspace-write"})
        self.add("sandbox/mode", {"mode": "workspace-write"})
        self.add("approval/policy", {"policy": "ask"})

    def begin(self, prompt: str, **source: Any) -> int:
        """A turn up to its first prompt; returns that message's sequence number."""
        self._turn += 1
        self.batch()
        self.add("turn/start", {"turn": self._turn})
        self.add("step/start", {"turn": self._turn, "step": 1})
        if self.version >= 3 and self._turn == 1:
            system = {"role": "system", "content": [text("You help.")], "id": "system-1"}
            self.add(
                "system/message", {"turn": 1, "step": 1, "message": system}, surfaceOp="append"
            )
        return self.user(prompt, {"kind": "user"} | source)

    def user(self, prompt: str, source: Record) -> int:
        data = {"content": [text(prompt)], "source": source, "role": "user"}
        return self.add("user/message", data | {"id": f"message-{self.seq}"}, surfaceOp="append")

    def answer(self, reply: str, *calls: str, **fields: Any) -> int:
        """An assistant message, with its chunks where the format keeps them."""
        if self.version < 2 and reply:
            self._chunks(reply)
        content = [text(reply)] if reply else []
        content += [
            {"type": "tool-call", "id": call, "name": "read", "arguments": "{}"} for call in calls
        ]
        message: Record = {"role": "assistant", "content": content}
        message["id"] = f"message-{self.seq}"
        message["source"] = {"kind": "model", "provider": "p", "model": "m"}
        place = {"turn": self._turn, "step": 1}
        return self.add(
            "assistant/message", place | {"message": message} | fields, surfaceOp="append"
        )

    def tool_call(self, call: str) -> int:
        place = {"turn": self._turn, "step": 1}
        return self.add("tool/call", place | {"callId": call, "name": "read", "arguments": "{}"})

    def tool_result(self, call: str, output: str) -> int:
        message: Record = {"source": {"kind": "tool", "callId": call}, "id": f"message-{self.seq}"}
        if self.version >= 4:
            message |= {"role": "tool", "toolCallId": call, "isError": False}
            message |= {"content": [text(output)]}
        else:
            block = {"type": "tool-result", "toolCallId": call, "isError": False}
            message |= {"role": "user", "content": [block | {"content": [text(output)]}]}
        place = {"turn": self._turn, "step": 1}
        return self.add("tool/result", place | {"message": message}, surfaceOp="append")

    def end(self, **reason: Any) -> None:
        self.add("step/end", {"turn": self._turn, "step": 1})
        self.add("turn/end", {"turn": self._turn, "reason": reason or {"kind": "completed"}})

    def exchange(self, prompt: str, reply: str) -> None:
        """One whole turn."""
        self.begin(prompt)
        self.answer(reply)
        self.end()

    def title(self, title: str, kind: str = "user") -> None:
        self.add("session/title", {"title": title, "messageSeqs": [], "source": {"kind": kind}})

    def context(self, tokens: int) -> None:
        self.add("request/context", {"provider": "p", "model": "m", "contextWindow": tokens})

    def compact(self, summary: str, *, keep_last: int = 0) -> None:
        """Replace the surface, but for its last nodes and a system prompt, by a checkpoint."""
        self.batch()
        first = 1 if self.version >= 3 else 0
        last = len(self._surface) - keep_last
        shadowed = self._surface[first:last]
        start = self.add("compaction/start", {"compactionId": "c", "turn": None})
        content = [text(CHECKPOINT_INTRO), text(summary), text("</compacted-summary>")]
        source = (
            {"kind": "compact-checkpoint", "compactionId": "c"}
            if self.version >= 4
            else {"kind": "plugin", "plugin": "compact", "compactionId": "c"}
        )
        names = ("startSeq", "endSeq") if self.version >= 3 else ("start", "end")
        span = {names[0]: shadowed[0], names[1]: shadowed[-1]}
        seq = self.add(
            "user/message",
            {"content": content, "source": source, "role": "user", "id": f"message-{self.seq}"},
            sourceEventSeqs=[start, *shadowed],
            surfaceOp={"op": "replace"} | span,
        )
        self._surface[first:last] = [seq]
        self.add("compaction/end", {"compactionId": "c", "turn": None})

    def fork(self, session_id: str, **header: Any) -> Script:
        """A child that begins with all events so far."""
        child = Script(session_id, version=self.version, **header)
        child.header["parentSession"] = self.session_id
        if self.version >= 2:
            child.header["isSeeded"] = True
        else:
            child.header["seedLength"] = self.seq
        child.batches = [list(batch) for batch in self.batches]
        child.seq, child._turn, child._surface = self.seq, self._turn, list(self._surface)
        child.batch()
        child.add("session/end-seed", {"inherited": True} if self.version >= 3 else {})
        return child

    def _chunks(self, reply: str) -> None:
        """The reply as deltas of one character: one packed row where there are three or more."""
        place = {"turn": self._turn, "step": 1}
        self.add("assistant/chunk", place | {"chunk": {"type": "block-start", "index": 0}})
        row = place | {"index": 0, "dt": [0] * (len(reply) - 1), "texts": list(reply)}
        if len(reply) >= 3:
            packed = {"type": "text-chunks", "seq0": self.seq, "time0": 1_000 + self.seq}
            self._row(packed | {"data": row}, len(reply))
            return
        for letter in reply:
            chunk = {"type": "text-delta", "index": 0, "text": letter}
            self.add("assistant/chunk", place | {"chunk": chunk})

    def _row(self, record: Record, length: int) -> None:
        if not self.batches:
            self.batches.append([])
        self.batches[-1].append(record)
        self.seq += length


def text(content: str) -> Record:
    return {"type": "text", "text": content}


def line(record: Record) -> bytes:
    """One line of a log. Lone surrogates, which have no UTF-8, are escaped."""
    compact = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    try:
        return compact.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"
