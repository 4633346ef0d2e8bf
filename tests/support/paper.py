"""A document as an editor keeps it, with its own idea of positions and edits.

Nothing of it comes from dsh_lsp, so that both cannot be wrong in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

Json = Mapping[str, Any]


class Paper:
    """Text whose positions count code units of one encoding."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._codec, self._size = _ENCODINGS[encoding]

    def lines(self) -> list[str]:
        """The lines with their ends."""
        return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z|\Z", self.text)

    def position(self, offset: int) -> dict[str, int]:
        """The LSP position of a code-point offset."""
        for number, line in enumerate(self.lines()):
            if offset <= len(line.rstrip("\r\n")):
                return {"line": number, "character": self._units(line[:offset])}
            offset -= len(line)
        raise AssertionError("an offset outside the text, or inside a line end")

    def place(self, part: str) -> dict[str, Any]:
        """The LSP range of the first occurrence of a part of the text."""
        start = self.text.index(part)
        return {"start": self.position(start), "end": self.position(start + len(part))}

    def part(self, place: Json) -> str:
        """The text of an LSP range."""
        return self.text[self._offset(place["start"]) : self._offset(place["end"])]

    def edited(self, edits: Iterable[Json]) -> str:
        """The text after edits that all count in the present text."""
        ordered = sorted(edits, key=lambda edit: self._offset(edit["range"]["start"]))
        text, done = "", 0
        for edit in ordered:
            start, end = (self._offset(edit["range"][name]) for name in ("start", "end"))
            assert done <= start <= end, "edits that overlap"
            text += self.text[done:start] + edit["newText"]
            done = end
        return text + self.text[done:]

    def _units(self, text: str) -> int:
        return len(text.encode(self._codec)) // self._size

    def _offset(self, position: Json) -> int:
        lines = self.lines()
        before = sum(map(len, lines[: position["line"]]))
        line = lines[position["line"]].rstrip("\r\n")
        for length in range(len(line) + 1):
            if self._units(line[:length]) == position["character"]:
                return before + length
        raise AssertionError(f"no such position: {position}")
