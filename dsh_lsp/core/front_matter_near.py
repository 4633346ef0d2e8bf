"""Front matter that was nearly written: it is ordinary text, and would be sent as such."""

from __future__ import annotations

import re

from dsh_lsp.core.front_matter_block import MAX_SIZE, find_block
from dsh_lsp.core.problem import Edit, Fix, Problem, Rewrite, Severity
from dsh_lsp.core.text import Span

_LINE_END = r"(?:\r\n|\n|\r)"
_LINE = re.compile(r"(?:\A|(?<=\n)|(?<=\r)(?!\n))(?=[^\r\n])")
_BLANK_ABOVE = re.compile(rf"[ \t\r\n]{{1,{MAX_SIZE}}}(?=---)")
_OURS_ALONE = re.compile(
    rf"---[ \t]*(?P<end>{_LINE_END})"
    rf"(?P<lines>(?:(?:session|cwd|mode)[ \t]*:[^\r\n]{{0,{MAX_SIZE}}}{_LINE_END}){{1,3}})"
    rf"---[ \t]*(?:{_LINE_END}|\Z)"
)
"""No other key, for `session` alone might be another tool's."""


def near_front_matter(text: str) -> tuple[Problem, ...]:
    """What keeps the start of a text, which is no front matter, from being some."""
    blank = _BLANK_ABOVE.match(text)
    if blank is not None:
        return _below_blanks(text, blank.end())
    alone = _OURS_ALONE.match(text)
    return () if alone is None else (_without_dsh(alone),)


def _below_blanks(text: str, start: int) -> tuple[Problem, ...]:
    block = find_block(text[start : start + MAX_SIZE])
    if block is None or not block.has_dsh or block.closing:
        return ()
    message = (
        "Front matter must begin with the very first character, so this is sent as ordinary text: "
        "remove the blank above it."
    )
    fix = Rewrite("Remove the blank above", (Edit(Span(0, start), ""),))
    return (_warning(Span(start, start + len("---")), message, fix),)


def _without_dsh(alone: re.Match[str]) -> Problem:
    lines = Span(*alone.span("lines"))
    first = Span(lines.start, lines.start + alone["lines"].index(":"))
    indented = _LINE.sub("  ", alone["lines"])
    fix = Rewrite("Put these keys below `dsh:`", (Edit(lines, f"dsh:{alone['end']}{indented}"),))
    message = (
        "Without a line `dsh:` above its keys this is ordinary text, and is sent as such: put the "
        "keys below `dsh:`, each behind two spaces."
    )
    return _warning(first, message, fix)


def _warning(span: Span, message: str, fix: Fix) -> Problem:
    return Problem("front-matter", Severity.WARNING, span, message, (fix,))
