"""The open documents as immutable values. pygls' own workspace breaks lines in the wrong places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from dsh_lsp.core.prompt import Prompt, parse_prompt
from dsh_lsp.core.text import LineIndex, Unit

Position = tuple[int, int]
"""Zero-based line, and column in the negotiated unit."""


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of a document. Without a range the text replaces the whole document."""

    text: str
    start: Position | None = None
    end: Position | None = None


@dataclass(frozen=True)  # not slotted: what is derived from the text is kept beside it
class Document:
    """One version of an open document; `earlier` is an older reading, to read this one faster."""

    uri: str
    version: int
    text: str
    earlier: Prompt | None = field(default=None, compare=False, repr=False)

    @cached_property
    def lines(self) -> LineIndex:
        """Where the lines begin."""
        return LineIndex(self.text)

    @cached_property
    def prompt(self) -> Prompt:
        """The text read as a prompt."""
        return parse_prompt(self.text, self.earlier)

    @property
    def line_end(self) -> str:
        """The line end that this document uses first, or LF."""
        for end in ("\r\n", "\n", "\r"):
            if end in self.text[:10_000]:
                return end
        return "\n"


def changed(document: Document, version: int, changes: Iterable[Change], unit: Unit) -> Document:
    """The next version of a document; each change counts positions in the text before it."""
    lines = _Lines(document.text, document.lines)
    for change in changes:
        if change.start is None or change.end is None:
            lines = _Lines(change.text, LineIndex(change.text))
        else:
            lines.replace(change.start, change.end, change.text, unit)
    earlier = document.__dict__.get("prompt", document.earlier)  # only if it has been read
    return Document(document.uri, version, "".join(lines.lines), earlier)


class _Lines:
    """A text being edited, line by line, so that a thousand edits do not copy all of it each."""

    def __init__(self, text: str, index: LineIndex) -> None:
        starts = [index.line_span(line).start for line in range(index.line_count)]
        ends = [*starts[1:], len(text)]
        self.lines = [text[start:end] for start, end in zip(starts, ends, strict=True)]

    def replace(self, start: Position, end: Position, new: str, unit: Unit) -> None:
        """Replace what lies between two positions; ends that are swapped enclose nothing."""
        first, before = self._locate(start, unit)
        last, behind = max((first, before), self._locate(end, unit))
        text = self.lines[first][:before] + new + self.lines[last][behind:]
        # The edit may have brought a CR and an LF together, which are one line end then.
        if first and self.lines[first - 1].endswith("\r"):
            first -= 1
            text = self.lines[first] + text
        if text.endswith("\r") and last + 1 < len(self.lines):
            last += 1
            text += self.lines[last]
        pieces = _Lines(text, LineIndex(text)).lines
        if last + 1 < len(self.lines):
            pieces.pop()  # the line behind the last line end is the next one of ours
        self.lines[first : last + 1] = pieces

    def _locate(self, position: Position, unit: Unit) -> tuple[int, int]:
        """The line of a position and the code points before it, clamped to the text."""
        line, column = position
        if line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        return line, LineIndex(self.lines[line]).offset(0, column, unit)
