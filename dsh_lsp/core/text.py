"""Offsets, lines and columns of a document. Lines end at LF, CRLF or CR, and at nothing else."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate

Position = tuple[int, int]
"""Zero-based line, and column in some unit."""

Place = tuple[Position, Position]
"""Where something starts and ends."""

_LINE_END = re.compile("\r\n|\n|\r")
_LINE_FEED = re.compile("\n")

_BLOCK = 4096
"""Code points of a piece: no question and no edit reads more than a few pieces."""


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
    """Where the lines of one immutable text begin; converts between offsets and positions.

    The text is kept in pieces, which the index of an edited text shares, so that a keystroke costs
    about the same in any text.
    """

    def __init__(self, text: str) -> None:
        self._keep(_cut(text))
        self.__dict__["text"] = text

    def _keep(self, pieces: Sequence[_Piece]) -> None:
        self._pieces = pieces
        # What lies before each piece, and at the end before all that follows.
        self._offsets = list(accumulate((len(each.text) for each in pieces), initial=0))
        self._lines = list(accumulate((each.line_ends for each in pieces), initial=0))
        self._columns: dict[Unit, list[int]] = {}

    @cached_property
    def text(self) -> str:
        """The whole text."""
        return "".join(piece.text for piece in self._pieces)

    @property
    def line_count(self) -> int:
        """Number of lines: one more than the number of line ends."""
        return self._lines[-1] + 1

    def replaced(self, span: Span, new_text: str) -> LineIndex:
        """The index of the text with another text in place of a span of it."""
        pieces = self._pieces
        first, last = self._piece_at(span.start), self._piece_at(span.end)
        before = pieces[first].text[: span.start - self._offsets[first]]
        behind = pieces[last].text[span.end - self._offsets[last] :]
        text = before + new_text + behind
        # The edit may have brought a CR and an LF together, which no border may part.
        if first and pieces[first - 1].text.endswith("\r"):
            first -= 1
            text = pieces[first].text + text
        if last + 1 < len(pieces) and (text.endswith("\r") or len(text) < _BLOCK // 2):
            last += 1
            text += pieces[last].text
        index = object.__new__(LineIndex)
        index._keep([*pieces[:first], *_cut(text), *pieces[last + 1 :]])
        return index

    def line_span(self, line: int) -> Span:
        """The zero-based `line` without its line end; `line` must be below `line_count`."""
        start = self._line_start(line)
        if line == self._lines[-1]:
            return Span(start, self._offsets[-1])
        end = self._line_start(line + 1) - 1
        if end > start and self._part(end - 1, end + 1) == "\r\n":
            end -= 1
        return Span(start, end)

    def position(self, offset: int, unit: Unit) -> Position:
        """Zero-based line and column (in `unit`) of a code-point offset, clamped to the text.

        An offset between the CR and the LF of one line end counts as the end of its line.
        """
        offset = min(max(offset, 0), self._offsets[-1])
        number = self._piece_at(offset)
        piece, within = self._pieces[number], offset - self._offsets[number]
        if within and piece.text[within - 1 : within + 1] == "\r\n":
            within -= 1
        earlier = bisect_right(piece.ends, within)
        line = self._lines[number] + earlier
        if earlier:
            return line, _width(piece.text[piece.ends[earlier - 1] : within], unit)
        return line, self._units(self._line_start(line), self._offsets[number] + within, unit)

    def place(self, span: Span, unit: Unit) -> Place:
        """The positions where a span of the text starts and ends."""
        start = line, column = self.position(span.start, unit)
        part = self.text[span.start : span.end]
        if "\n" in part or "\r" in part:
            return start, self.position(span.end, unit)
        return start, (line, column + _width(part, unit))

    def offset(self, line: int, column: int, unit: Unit) -> int:
        """Code-point offset of a position; past a line's end it is that end, past the text its end.

        A column inside a code point counts as the start of that code point.
        """
        if line < 0:
            return 0
        if line > self._lines[-1]:
            return self._offsets[-1]
        span = self.line_span(line)
        if unit is Unit.UTF32:
            return min(span.start + max(0, column), span.end)
        return self._walk(span, max(0, column), unit)

    def _piece_at(self, offset: int) -> int:
        """The piece that holds an offset; the last one holds the end of the text."""
        return bisect_right(self._offsets, offset, 1, len(self._pieces)) - 1

    def _line_start(self, line: int) -> int:
        if line == 0:
            return 0
        piece = bisect_left(self._lines, line) - 1
        within = self._pieces[piece].ends[line - self._lines[piece] - 1]
        return self._offsets[piece] + within

    def _part(self, start: int, end: int) -> str:
        """The text between two offsets of one piece."""
        piece = self._piece_at(start)
        before = self._offsets[piece]
        return self._pieces[piece].text[start - before : end - before]

    def _units(self, start: int, end: int, unit: Unit) -> int:
        """Code units between two offsets."""
        first, last = self._piece_at(start), self._piece_at(end)
        if first == last:
            return _width(self._part(start, end), unit)
        return self._units_before(end, last, unit) - self._units_before(start, first, unit)

    def _units_before(self, offset: int, piece: int, unit: Unit) -> int:
        part = self._pieces[piece].text[: offset - self._offsets[piece]]
        return self._units_before_pieces(unit)[piece] + _width(part, unit)

    def _units_before_pieces(self, unit: Unit) -> list[int]:
        known = self._columns.get(unit)
        if known is None:
            widths = (piece.width(unit) for piece in self._pieces)
            known = self._columns[unit] = list(accumulate(widths, initial=0))
        return known

    def _walk(self, line: Span, column: int, unit: Unit) -> int:
        """The offset of the code point that holds a column of a line, at most the line's end."""
        piece = self._piece_at(line.start)
        start = line.start
        if line.end > self._offsets[piece + 1]:
            table = self._units_before_pieces(unit)
            column += self._units_before(start, piece, unit)
            piece = max(piece, bisect_right(table, column, hi=self._piece_at(line.end) + 1) - 1)
            if self._offsets[piece] > start:
                start = self._offsets[piece]
                column -= table[piece]
            else:
                column -= self._units_before(start, piece, unit)
        part = self._part(start, min(line.end, self._offsets[piece + 1]))
        if part.isascii():
            return start + min(column, len(part))
        places = range(len(part) + 1)
        return start + bisect_right(places, column, key=lambda n: _width(part[:n], unit)) - 1


class _Piece:
    """A part of a text, and what has been found out about it."""

    __slots__ = ("_ends", "_widths", "line_ends", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: list[int] | None = None
        self._widths: dict[Unit, int] = {}
        self.line_ends = len(self.ends) if "\r" in text else text.count("\n")

    @property
    def ends(self) -> list[int]:
        """The offsets behind the line ends."""
        if self._ends is None:
            # A single character is searched for several times as fast.
            found = (_LINE_END if "\r" in self.text else _LINE_FEED).finditer(self.text)
            self._ends = [line_end.end() for line_end in found]
        return self._ends

    def width(self, unit: Unit) -> int:
        """Code units of the whole piece."""
        known = self._widths.get(unit)
        if known is None:
            known = self._widths[unit] = _width(self.text, unit)
        return known


def _cut(text: str) -> list[_Piece]:
    """Pieces of about the same length, at least one; none ends between a CR and its LF."""
    if len(text) <= 2 * _BLOCK:
        return [_Piece(text)]
    size = -(-len(text) // (len(text) // _BLOCK))
    pieces = []
    start = 0
    while start < len(text):
        end = start + size
        if text[end - 1 : end + 1] == "\r\n":
            end += 1
        pieces.append(_Piece(text[start:end]))
        start = end
    return pieces


def _width(text: str, unit: Unit) -> int:
    if text.isascii() or unit is Unit.UTF32:
        return len(text)
    if unit is Unit.UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
