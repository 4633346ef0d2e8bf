"""A document as an editor shows it: long session URIs concealed, and a column for every offset."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.cli.width import width
from dsh_lsp.core.display import one_line
from dsh_lsp.core.mentions import scan
from dsh_lsp.core.text import LineIndex, Span, Unit

KEPT = len("dsh-session:") + 4
"""Characters of a URI that stay visible at its start."""

KEPT_AT_END = 3


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line. `start` is its offset in the document, `columns` one more than its characters."""

    start: int
    text: str
    columns: tuple[int, ...]

    def column(self, offset: int) -> int:
        """The terminal column of an offset of the document, clamped to the line."""
        return self.columns[min(max(offset - self.start, 0), len(self.columns) - 1)]


def shown_lines(text: str) -> list[ShownLine]:
    """All lines of a document."""
    lines = LineIndex(text)
    concealed = [
        Span(mention.uri_span.start + KEPT, mention.uri_span.end - KEPT_AT_END)
        for mention in scan(text)
        if mention.uri_span.end - mention.uri_span.start > KEPT + KEPT_AT_END
    ]
    return [_shown_line(text, lines, number, concealed) for number in range(lines.line_count)]


def _shown_line(text: str, lines: LineIndex, number: int, concealed: list[Span]) -> ShownLine:
    start = lines.offset(number, 0, Unit.UTF32)
    end = lines.offset(number, len(text), Unit.UTF32)
    shown: list[str] = []
    columns: list[int] = []
    column = 0
    for offset in range(start, end):
        columns.append(column)
        span = next((each for each in concealed if each.start <= offset < each.end), None)
        hidden = "…" if span and offset == span.start else ""
        piece = hidden if span else one_line(text[offset])
        shown.append(piece)
        column += width(piece)
    return ShownLine(start, "".join(shown), (*columns, column))
