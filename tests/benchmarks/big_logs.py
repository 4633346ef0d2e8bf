"""Session stores of any size for benchmarks: the proportions of real logs, our own words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import zstandard

from dsh_lsp.sessions.layout import Compression, LogName, session_folder
from tests.benchmarks.log_pens import Output, Pen

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


@dataclass(frozen=True, slots=True)
class Proportions:
    """Calls in a turn, and characters of its texts."""

    calls: int
    tools: int
    result: int
    reasoning: int
    answer: int


SMALL = Proportions(calls=1, tools=200, result=300, reasoning=60, answer=500)
"""A tenth of the bytes is conversation."""

LARGE = Proportions(calls=3, tools=4_000, result=6_000, reasoning=250, answer=1_600)
"""Less than a twentieth is conversation; half is what tools gave."""

TALK = Proportions(calls=0, tools=200, result=0, reasoning=60, answer=1_600)
"""A fifth is conversation: nobody calls a tool."""


@dataclass(frozen=True, slots=True)
class Written:
    """A log that was written; `size` is its bytes before they were compressed."""

    path: Path
    session_id: str
    created_at: int
    cwd: str
    title: str
    size: int
    frames: int
    events: int


class Writer:
    """Writes logs: per turn a prompt, calls of tools and their results, an answer.

    Frames hold a step or less, as hosts flush them. Hosts of the pen's format take the logs for
    their own.
    """

    def __init__(self, seed: int = 1, pen: type[Pen] = Pen) -> None:
        self._random = random.Random(seed)
        self._pen = pen
        self._words = [
            "".join(self._random.choices(_SYLLABLES, k=self._random.randint(1, 4)))
            for _ in range(4_000)
        ]
        self._compressor = zstandard.ZstdCompressor(write_checksum=True)

    def text(self, size: int) -> str:
        """About `size` characters of words."""
        words = self._random.choices(self._words, k=max(1, size // 6))
        return " ".join(words)[:size].strip()

    def log(
        self,
        root: Path,
        session_id: str,
        created_at: int,
        cwd: str,
        size: int,
        proportions: Proportions | None = None,
    ) -> Written:
        """Write one log of about `size` uncompressed bytes where a host would.

        Its proportions are those of its size unless others are given.
        """
        proportions = proportions or (SMALL if size < 100_000 else LARGE)
        pen = self._pen(session_id, created_at, cwd)
        title = self.text(40)
        folder = session_folder(root, session_id, cwd)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / str(LogName(pen.version, Compression.ZSTD))
        written = frames = 0
        with path.open("wb") as file:
            for text in self._frames(pen, title, size, proportions):
                file.write(self._compressor.compress(text))
                written, frames = written + len(text), frames + 1
        return Written(path, session_id, created_at, cwd, title, written, frames, pen.events)

    def store(
        self, root: Path, sessions: int, size: int, projects: int = 20, home: str = "/home/dev"
    ) -> list[Written]:
        """Write a store of small logs, the later ones newer."""
        return [
            self.log(
                root,
                f"session-{number:06d}",
                1_700_000_000_000 + number,
                f"{home}/project-{number % projects}",
                size,
            )
            for number in range(sessions)
        ]

    def _frames(self, pen: Pen, title: str, size: int, proportions: Proportions) -> Iterator[bytes]:
        """The text of each frame, the header's first, until there are `size` bytes of turns."""
        yield pen.header()
        yield pen.policies()
        written = 0
        while written < size or not pen.turns:
            for text in self._turn(pen, proportions):
                written += len(text)
                yield text
            if pen.turns == 1:
                yield pen.title(title)

    def _turn(self, pen: Pen, texts: Proportions) -> Iterator[bytes]:
        yield pen.begin(self.text(200), self.text(texts.tools))
        for call in range(texts.calls):
            call_id = f"call-{pen.turns}-{call}"
            yield pen.call(Output(self.text(texts.reasoning), call_id=call_id))
            yield pen.result(call_id, self.text(texts.result))
        yield pen.end(Output(self.text(texts.reasoning), self.text(texts.answer)))
