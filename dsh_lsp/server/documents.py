"""The open documents as immutable values. pygls' own workspace breaks lines in the wrong places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from dsh_lsp.core.prompt import Prompt, parse_prompt
from dsh_lsp.core.text import LineIndex, Position, Span, Unit


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of a document. Without a range the text replaces the whole document."""

    text: str
    start: Position | None = None
    end: Position | None = None


LONG = 100_000
"""Code points of a text that is read as a prompt in the event loop. More might hold up a keystroke:
reading the worst ones takes 60 ms."""


@dataclass(frozen=True)  # not slotted: what is derived from the text is kept beside it
class Document:
    """One version of an open document.

    `earlier` is an older reading, to read this one faster, and `indexed` is `text` with its lines.
    """

    uri: str
    version: int
    text: str
    earlier: Prompt | None = field(default=None, compare=False, repr=False)
    indexed: LineIndex | None = field(default=None, compare=False, repr=False)

    @cached_property
    def lines(self) -> LineIndex:
        """Where the lines begin."""
        return self.indexed or LineIndex(self.text)

    @property
    def prompt(self) -> Prompt:
        """The text read as a prompt, which may take seconds where the document `is_long`."""
        # Not cached by functools, whose lock would have all documents wait for a thread with one.
        known = self.known_prompt
        if known is None:
            known = self.__dict__["prompt_read"] = parse_prompt(self.text, self.earlier)
        return known

    @property
    def known_prompt(self) -> Prompt | None:
        """The prompt, if the text has been read."""
        return self.__dict__.get("prompt_read")

    @property
    def is_long(self) -> bool:
        """Whether work on the whole text belongs beside the event loop."""
        return len(self.text) > LONG

    @property
    def line_end(self) -> str:
        """The line end that this document uses first, or LF."""
        for end in ("\r\n", "\n", "\r"):
            if end in self.text[:10_000]:
                return end
        return "\n"


def changed(document: Document, version: int, changes: Iterable[Change], unit: Unit) -> Document:
    """The next version of a document; each change counts positions in the text before it."""
    lines = document.lines
    for change in changes:
        if change.start is None or change.end is None:
            lines = LineIndex(change.text)
        else:
            start = lines.offset(*change.start, unit)
            end = max(start, lines.offset(*change.end, unit))  # swapped ends enclose nothing
            lines = lines.replaced(Span(start, end), change.text)
    earlier = document.known_prompt or document.earlier
    return Document(document.uri, version, lines.text, earlier, lines)
