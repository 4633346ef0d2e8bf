"""The line of a problem, cut to a terminal's width, and where its underline goes."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.cli.width import width
from dsh_lsp.core.display import one_line
from dsh_lsp.core.text import LineIndex, Span, Unit

BEFORE = 40
"""Characters of the line shown before the problem; a prompt's line may be very long."""

SHOWN = 120


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of one line, and its underline in terminal columns."""

    line: str
    indent: int
    width: int


def excerpt(text: str, span: Span, lines: LineIndex) -> Excerpt:
    """The first line of `span`. Controls are shown as escapes, and counted as such."""
    line, column = lines.position(span.start, Unit.UTF32)
    line_start = span.start - column
    line_end = lines.offset(line, len(text), Unit.UTF32)
    start = max(line_start, span.start - BEFORE)
    end = min(line_end, start + SHOWN)
    before = ("…" if start > line_start else "") + _shown(text[start : span.start])
    marked = _shown(text[span.start : min(span.end, end)])
    after = _shown(text[min(span.end, end) : end]) + ("…" if end < line_end else "")
    return Excerpt(before + marked + after, width(before), max(1, width(marked)))


def _shown(text: str) -> str:
    return one_line(text.replace("\t", "    "))
