"""Untrusted text inside Markdown. Nothing of it may become a link, an image, HTML or layout."""

from __future__ import annotations

import re

from dsh_lsp.core.display import one_line

MAX_BRIEF = 300
"""Characters of a title, id or path that are shown; a log may hold any length."""

_MARKUP = re.compile(r"[\\`*_\[\]<>|~&$#@]|:(?=//)|/(?=/)|(?i:(?<=www))\.|^[-+=]")
_NUMBERING = re.compile(r"^([0-9]+)(?=[.)])")


def brief(text: str) -> str:
    """One line of at most `MAX_BRIEF` characters."""
    shown = one_line(text[: MAX_BRIEF + 1])
    return shown if len(shown) <= MAX_BRIEF else shown[: MAX_BRIEF - 1] + "…"


def escaped(text: str) -> str:
    """One line of prose in which nothing is markup, or becomes a link by itself."""
    shown = _MARKUP.sub(r"\\\g<0>", one_line(text).lstrip())
    return _NUMBERING.sub(r"\1\\", shown)


def code(text: str) -> str:
    """One line as a code span, whatever backticks it holds."""
    shown = one_line(text)
    if not shown.strip():
        return escaped(repr(shown))
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}" if longest else f"{fence}{shown}{fence}"
