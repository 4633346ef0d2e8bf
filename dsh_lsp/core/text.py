"""Offsets, lines and columns of a document. Lines end at LF, CRLF or CR, and at nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code-point offsets into a text."""

    start: int
    end: int


class Unit(StrEnum):
    """What a column counts: code units of UTF-8, UTF-16 or UTF-32."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class LineIndex:
    """Line starts of one immutable text, and the conversions between offsets and positions."""

    def __init__(self, text: str) -> None:
        raise NotImplementedError

    @property
    def line_count(self) -> int:
        """Number of lines: one more than the number of line ends."""
        raise NotImplementedError

    def position(self, offset: int, unit: Unit) -> tuple[int, int]:
        """Zero-based line and column (in `unit`) of a code-point offset, clamped to the text."""
        raise NotImplementedError

    def offset(self, line: int, column: int, unit: Unit) -> int:
        """Code-point offset of a position; past a line's end it is that end, past the text its end.

        A column inside a code point counts as the start of that code point.
        """
        raise NotImplementedError
