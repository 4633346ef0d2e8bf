"""Prompts with the expected problems marked in their text.

`{a}` stands for the mention of session `a` labelled `A`, `{a|Label}` for one with that label,
`{=a}` for its bare URI. `[[code:…]]` marks what the problem `code` must cover; marks may nest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dsh_lsp.core.mentions import escape_label, scan
from dsh_lsp.core.problem import Fix, Problem
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.uri import encode

_MENTION = re.compile(r"\{(=?)([^|}]*)(?:\|([^}]*))?\}")
_MARK = re.compile(r"\[\[([A-Za-z_-]+):|\]\]")


@dataclass(frozen=True, slots=True)
class Marked:
    """A prompt's text, and the problems expected in it as `(start, end, code)`."""

    text: str
    expected: list[tuple[int, int, str]]


def expand(source: str) -> str:
    """The text with each mention written out."""
    return _MENTION.sub(_written, source)


def marked(source: str) -> Marked:
    """The text without its marks, and what they said."""
    expanded = expand(source)
    text, end = "", 0
    opened: list[tuple[int, str]] = []
    expected: list[tuple[int, int, str]] = []
    for mark in _MARK.finditer(expanded):
        text += expanded[end : mark.start()]
        end = mark.end()
        if mark[1]:
            opened.append((len(text), mark[1]))
        else:
            start, code = opened.pop()
            expected.append((start, len(text), code))
    assert not opened
    return Marked(text + expanded[end:], sorted(expected))


def prompt_of(text: str) -> Prompt:
    """A prompt whose problems of its own are left out: only its mentions matter."""
    return Prompt(text, None, 0, scan(text), (), ())


def places(problems: tuple[Problem, ...]) -> list[tuple[int, int, str]]:
    """Problems in the form of `Marked.expected`."""
    return sorted((each.span.start, each.span.end, str(each.code)) for each in problems)


def apply(fix: Fix, text: str) -> str:
    """The text after a fix, whose edits must not overlap."""
    end = len(text)
    for edit in sorted(fix.edits(text), key=lambda edit: edit.span, reverse=True):
        assert edit.span.end <= end, "two edits overlap"
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
        end = edit.span.start
    return text


def _written(match: re.Match[str]) -> str:
    bare, session_id, label = match.groups()
    if bare:
        return encode(session_id)
    return (
        f"@[{escape_label(session_id.upper() if label is None else label)}]({encode(session_id)})"
    )
