"""Quick fixes: the edits that a problem offers, and writing a target into the front matter."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsh_lsp.core.failures import Code
from dsh_lsp.core.front_matter import read_front_matter
from dsh_lsp.core.problem import Edit, Fix, Problem
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span
from dsh_lsp.core.uri import encode

_PLAIN_ID = re.compile(r"session-[A-Za-z0-9_-]+")

_BLOCK_KEY = re.compile(r"^dsh:[ \t]*(?:#[^\r\n]*)?(\r\n|\n|\r)([ ]+)(?=\S)", re.MULTILINE)


SAFE_TO_FIX_ALL = frozenset(
    {
        Code.INVALID_REFERENCE,
        "front-matter",
        "stale-label",
        "unclosed-mention",
    }
)
"""Problems whose fix keeps every reference. Which reference to give up is for the user to say."""


@dataclass(frozen=True, slots=True)
class Action:
    """One fix, and the problems that it solves."""

    fix: Fix
    problems: tuple[Problem, ...]


def fixes_at(problems: Iterable[Problem], span: Span) -> tuple[Action, ...]:
    """The fixes of all problems that a selection touches, each once."""
    found: dict[int, tuple[Fix, list[Problem]]] = {}
    for problem in problems:
        if problem.span.start <= span.end and span.start <= problem.span.end:
            for fix in problem.fixes:
                # By identity: a fix of a thousand problems has a thousand edits to compare.
                found.setdefault(id(fix), (fix, []))[1].append(problem)
    return tuple(Action(fix, tuple(solved)) for fix, solved in found.values())


def whole_mentions(prompt: Prompt, span: Span) -> Span:
    """A selection with the whole of each mention that it touches, whose label may be the problem.

    It touches a mention from the first character to behind the last, like a cursor there.
    """
    touched = [
        mention.span
        for mention in prompt.mentions
        if mention.span.start <= span.end and span.start <= mention.span.end
    ]
    if not touched:
        return span
    return Span(min(span.start, touched[0].start), max(span.end, touched[-1].end))


def fix_all(text: str, problems: Iterable[Problem]) -> tuple[Edit, ...]:
    """The first fix of each safe problem, as far as they do not touch each other."""
    chosen: list[Edit] = []  # in order, and touching each other nowhere
    known: set[Edit] = set()
    for problem in problems:
        if problem.code not in SAFE_TO_FIX_ALL:
            continue
        wanted = problem.fixes[0].edits(text) if problem.fixes else ()
        new = [edit for edit in wanted if edit not in known]
        if not any(_touches(edit, chosen) for edit in new):
            known.update(new)
            for edit in new:
                insort(chosen, edit, key=_span)
    return tuple(chosen)


def session_value(session_id: str) -> str:
    """A session id as YAML reads it back unquoted: itself where that is safe, else its URI."""
    return session_id if _PLAIN_ID.fullmatch(session_id) else encode(session_id)


def write_target(prompt: Prompt, session_id: str, line_end: str) -> Edit | None:
    """The edit that names a session in the front matter; None where YAML leaves no simple place."""
    edit = _target_edit(prompt, session_id, line_end)
    if edit is None:
        return None
    # YAML has many ways to write a value; only reading it back tells whether this one was simple.
    after = prompt.text[: edit.span.start] + edit.new_text + prompt.text[edit.span.end :]
    front_matter = read_front_matter(after).front_matter
    return edit if front_matter is not None and front_matter.session == session_id else None


def _target_edit(prompt: Prompt, session_id: str, line_end: str) -> Edit | None:
    name = session_value(session_id)
    front_matter = prompt.front_matter
    if front_matter is None:
        lines = ("---", "dsh:", f"  session: {name}", "---", "")
        return Edit(Span(0, 0), line_end.join(lines))
    for member in front_matter.members:
        if member.key == "session":
            written = member.value_span
            return Edit(written, name if written.start < written.end else f" {name}")
    start, end = front_matter.span.start, front_matter.span.end
    key = _BLOCK_KEY.search(prompt.text, start, end)
    if key is None:
        return None
    return Edit(Span(key.end(), key.end()), f"session: {name}{key.group(1)}{key.group(2)}")


def _span(edit: Edit) -> Span:
    return edit.span


def _touches(edit: Edit, chosen: Sequence[Edit]) -> bool:
    """Whether an edit overlaps one of those chosen, of which only its neighbours can be."""
    place = bisect_left(chosen, edit.span, key=_span)
    return any(_overlap(edit.span, near.span) for near in chosen[max(place - 1, 0) : place + 1])


def _overlap(one: Span, other: Span) -> bool:
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end
