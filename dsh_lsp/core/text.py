"""Offsets, lines and columns of a document. Lines end at LF, CRLF or CR, and at nothing else."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate

_LINE_END = re.compile("\r\n|\n|\r")
_LINE_FEED = re.compile("\n")

_BLOCK = 512
"""Code points between two entries of a table of widths: long lines stay cheap, tables small."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code-point offsets into a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The part of `text` that this span covers."""
        return text[self.start : self.end]


class Unit(StrEnum):
    """What a column counts: code units of UTF-8, UTF-16 or UTF-32."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class LineIndex:
    """Line starts of one immutable text, and the conversions between offsets and positions."""

    def __init__(self, text: str) -> None:
        self._text = text
        # A single character is searched for several times as fast.
        ends = _LINE_END if "\r" in text else _LINE_FEED
        self._starts = [0, *(line_end.end() for line_end in ends.finditer(text))]
        self._rulers: dict[Unit, _Ruler] = {}

    @property
    def line_count(self) -> int:
        """Number of lines: one more than the number of line ends."""
        return len(self._starts)

    def line_at(self, offset: int) -> int:
        """The zero-based line that holds a code-point offset; a line holds its own line end."""
        return bisect_right(self._starts, max(0, offset)) - 1

    def line_span(self, line: int) -> Span:
        """The zero-based `line` without its line end; `line` must be below `line_count`."""
        start = self._starts[line]
        if line + 1 == len(self._starts):
            return Span(start, len(self._text))
        end = self._starts[line + 1] - 1
        if end > start and self._text[end - 1 : end + 1] == "\r\n":
            end -= 1
        return Span(start, end)

    def position(self, offset: int, unit: Unit) -> tuple[int, int]:
        """Zero-based line and column (in `unit`) of a code-point offset, clamped to the text.

        An offset between the CR and the LF of one line end counts as the end of its line.
        """
        line = self.line_at(offset)
        span = self.line_span(line)
        end = min(max(offset, 0), span.end)
        return line, self._ruler(unit).units(span.start, end)

    def offset(self, line: int, column: int, unit: Unit) -> int:
        """Code-point offset of a position; past a line's end it is that end, past the text its end.

        A column inside a code point counts as the start of that code point.
        """
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self._text)
        span = self.line_span(line)
        return self._ruler(unit).offset(span, max(0, column))

    def _ruler(self, unit: Unit) -> _Ruler:
        ruler = self._rulers.get(unit)
        if ruler is None:
            ruler = self._rulers[unit] = _Ruler(self._text, unit)
        return ruler


class _Ruler:
    """Code units between places of a text, so that no question reads more than a block or two."""

    def __init__(self, text: str, unit: Unit) -> None:
        self._text = text
        self._unit = unit

    @cached_property
    def _table(self) -> list[int]:
        """Code units before each block of the text."""
        blocks = range(0, len(self._text), _BLOCK)
        widths = (_width(self._text[start : start + _BLOCK], self._unit) for start in blocks)
        return list(accumulate(widths, initial=0))

    def units(self, start: int, end: int) -> int:
        """Code units from one offset to another."""
        if end - start <= _BLOCK:
            return _width(self._text[start:end], self._unit)
        return self._before(end) - self._before(start)

    def offset(self, line: Span, column: int) -> int:
        """The offset of a column, which is at most the end of the line."""
        if self._unit is Unit.UTF32:
            return min(line.start + column, line.end)
        start = line.start
        if line.end - start > _BLOCK:
            column += self._before(start)
            block = bisect_right(self._table, column) - 1
            start = max(block * _BLOCK, start)
            column -= self._before(start)
        return self._walk(min(start, line.end), line.end, column)

    def _before(self, offset: int) -> int:
        block = offset // _BLOCK
        return self._table[block] + _width(self._text[block * _BLOCK : offset], self._unit)

    def _walk(self, start: int, end: int, column: int) -> int:
        """The offset of the code point that holds a column counted from `start`."""
        part = self._text[start : min(end, start + _BLOCK)]
        if part.isascii():
            return min(start + column, end)
        for offset, character in enumerate(part, start):
            column -= _width(character, self._unit)
            if column < 0:
                return offset
        return start + len(part)


def _width(text: str, unit: Unit) -> int:
    if text.isascii() or unit is Unit.UTF32:
        return len(text)
    if unit is Unit.UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
