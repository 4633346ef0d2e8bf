"""Untrusted text inside Markdown. Nothing of it may become a link, an image, HTML or layout."""

from __future__ import annotations

import re

from dsh_lsp.core.display import one_line

MAX_BRIEF = 300
"""Characters of a title, id or path that are shown; a log may hold any length."""

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def brief(text: str) -> str:
    """One line of at most `MAX_BRIEF` characters."""
    shown = one_line(text[: MAX_BRIEF + 1])
    return shown if len(shown) <= MAX_BRIEF else shown[: MAX_BRIEF - 1] + "…"


def escaped(text: str) -> str:
    """One line of prose: every ASCII punctuation character is escaped, so nothing is markup."""
    return _PUNCTUATION.sub(r"\\\1", one_line(text))


def code(text: str) -> str:
    """One line as a code span, whatever backticks it holds."""
    shown = one_line(text)
    if not shown.strip():
        return escaped(repr(shown))
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}" if longest else f"{fence}{shown}{fence}"
