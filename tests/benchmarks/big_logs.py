"""Session stores of any size for benchmarks: the proportions of real logs, our own words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import orjson
import zstandard

from dsh_lsp.sessions.layout import Compression, LogName, session_folder

_SYLLABLES = [
    "ka",
    "lo",
    "mi",
    "ren",
    "tas",
    "vo",
    "sel",
    "dur",
    "ni",
    "pha",
    "gor",
    "le",
    "ti",
    "mu",
    "san",
]


class Writer:
    """Writes logs of format 4: per turn a prompt, tool calls with long results, an answer.

    About a tenth of the bytes is conversation; frames hold a step each, as hosts flush them.
    """

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._words = [
            "".join(self._random.choices(_SYLLABLES, k=self._random.randint(1, 4)))
            for _ in range(4_000)
        ]
        self._compressor = zstandard.ZstdCompressor(write_checksum=True)

    def text(self, size: int) -> str:
        """About `size` characters of words."""
        words = self._random.choices(self._words, k=max(1, size // 6))
        return " ".join(words)[:size]

    def frames(self, session_id: str, created_at: int, cwd: str, size: int) -> Iterator[bytes]:
        """The uncompressed text of each frame, header first, until `size` bytes are reached."""
        header = {"type": "session", "version": 4, "id": session_id, "createdAt": created_at}
        header |= {"cwd": cwd, "isSeeded": False, "delegationDepth": 0}
        yield orjson.dumps(header) + b"\n"
        seq, turn, written = 0, 0, 0
        while written < size or turn == 0:
            turn += 1
            for records in self._turn(turn, small=size < 100_000):
                lines = []
                for event_type, data, on_surface in records:
                    event = {"type": event_type, "seq": seq, "time": created_at + seq, "data": data}
                    if on_surface:
                        event["surfaceOp"] = "append"
                    lines.append(orjson.dumps(event))
                    seq += 1
                text = b"\n".join(lines) + b"\n"
                written += len(text)
                yield text

    def log(self, root: Path, session_id: str, created_at: int, cwd: str, size: int) -> Path:
        """Write one log of about `size` uncompressed bytes where a host would."""
        folder = session_folder(root, session_id, cwd)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / str(LogName(4, Compression.ZSTD))
        with path.open("wb") as file:
            for text in self.frames(session_id, created_at, cwd, size):
                file.write(self._compressor.compress(text))
        return path

    def store(self, root: Path, sessions: int, size: int, projects: int = 20) -> None:
        """Write a store of small logs, the later ones newer."""
        for number in range(sessions):
            self.log(
                root,
                f"session-{number:06d}",
                1_700_000_000_000 + number,
                f"/home/dev/project-{number % projects}",
                size,
            )

    def _turn(self, turn: int, *, small: bool) -> Iterator[list[tuple[str, object, bool]]]:
        place = {"turn": turn, "step": 1}
        yield [
            ("turn/start", {"turn": turn}, False),
            ("step/start", place, False),
            (
                "user/message",
                {
                    "content": [{"type": "text", "text": self.text(200)}],
                    "source": {"kind": "user"},
                    "role": "user",
                    "id": f"message-{turn}",
                },
                True,
            ),
            (
                "request/header",
                {"header": {"model": "m", "tools": self.text(300 if small else 4_000)}},
                False,
            ),
        ]
        for call in range(1 if small else 3):
            call_id = f"call-{turn}-{call}"
            yield [
                self._answer(place, "", call_id),
                (
                    "tool/call",
                    place | {"callId": call_id, "name": "read", "arguments": "{}"},
                    False,
                ),
            ]
            yield [
                (
                    "tool/result",
                    place
                    | {
                        "message": {
                            "role": "tool",
                            "toolCallId": call_id,
                            "isError": False,
                            "source": {"kind": "tool", "callId": call_id},
                            "id": f"result-{call_id}",
                            "content": [
                                {"type": "text", "text": self.text(400 if small else 6_000)}
                            ],
                        }
                    },
                    True,
                )
            ]
        yield [
            self._answer(place, self.text(300 if small else 1_500), None),
            ("step/end", place, False),
            ("turn/end", {"turn": turn, "reason": {"kind": "completed"}}, False),
        ]
        if turn == 1:
            title = {"title": self.text(40), "messageSeqs": [], "source": {"kind": "llm"}}
            yield [("session/title", title, False)]

    def _answer(
        self, place: dict[str, int], said: str, call_id: str | None
    ) -> tuple[str, object, bool]:
        content: list[object] = [{"type": "reasoning", "text": self.text(400)}]
        if said:
            content.append({"type": "text", "text": said})
        if call_id:
            call = {"type": "tool-call", "id": call_id, "name": "read", "arguments": "{}"}
            content.append(call)
        message = {"role": "assistant", "content": content, "id": f"answer-{call_id or place}"}
        pieces = [said[at : at + 12] for at in range(0, len(said), 12)]
        stream = [{"type": "text-delta", "index": 0, "text": piece} for piece in pieces]
        return "assistant/message", place | {"message": message, "stream": stream}, True
