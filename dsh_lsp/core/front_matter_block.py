"""Where the front matter of a document lies."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dsh_lsp.core.text import Span

MAX_SIZE = 8_192
"""Code points within which front matter must be closed, since every keystroke reads it."""

_LINE_END = r"(?:\r\n|\n|\r)"
_AT_LINE_START = r"(?:(?<=\n)|(?<=\r)(?!\n))"
_OPENING = re.compile(rf"---[ \t]*({_LINE_END})")
_CLOSING = re.compile(rf"{_AT_LINE_START}---[ \t]*(?:{_LINE_END}|\Z)")
_BLANK_LINE = re.compile(rf"{_AT_LINE_START}(?=[ \t]*(?:[\n\r]|\Z))")
_DSH_LINE = re.compile(rf"""{_AT_LINE_START}(?:dsh|"dsh"|'dsh')[ \t]*:""")


@dataclass(frozen=True, slots=True)
class Block:
    """Front matter: `span` is all of it, `content` the lines between the `---` lines.

    `opening` is the first `---`. Front matter that is not closed is taken to end before the first
    blank line, and `closing` is what closes it there; it is empty for what is closed. `has_dsh`
    says that a line of the content plainly begins the `dsh` key.
    """

    span: Span
    opening: Span
    content: Span
    closing: str
    has_dsh: bool


def find_block(text: str) -> Block | None:
    """The front matter at the very start of a text, or None if it has nothing to do with us."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    start, limit = opening.end(), opening.end() + MAX_SIZE
    closing = _CLOSING.search(text, start, limit)
    end = closing.start() if closing else _end_of_lines(text, start, limit)
    has_dsh = _DSH_LINE.search(text, start, end) is not None
    if not has_dsh and (closing is None or text.find("dsh", start, end) < 0):
        return None
    return Block(
        span=Span(0, closing.end() if closing else end),
        opening=Span(0, len("---")),
        content=Span(start, end),
        closing="" if closing else _closing_line(text[:end], opening.group(1)),
        has_dsh=has_dsh,
    )


def _end_of_lines(text: str, start: int, limit: int) -> int:
    blank = _BLANK_LINE.search(text, start, limit)
    return blank.start() if blank else min(len(text), limit)


def _closing_line(before: str, line_end: str) -> str:
    return f"---{line_end}" if before.endswith(("\n", "\r")) else f"{line_end}---{line_end}"
