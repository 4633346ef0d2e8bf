"""The `dsh` key of a document's YAML front matter: where the prompt goes (docs/mentions.md)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dsh_lsp.core.display import one_line
from dsh_lsp.core.front_matter_block import Block, find_block
from dsh_lsp.core.front_matter_near import near_front_matter
from dsh_lsp.core.problem import Edit, Fix, Problem, Rewrite, Severity
from dsh_lsp.core.text import Span
from dsh_lsp.core.uri import SCHEME, examine

if TYPE_CHECKING:
    from dsh_lsp.core.front_matter_yaml import Member

CODE = "front-matter"
KEYS = ("session", "cwd", "mode")
NEW_SESSION = "new"
MODES = ("queue", "steer")

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The `dsh` key of a document's YAML front matter; a wrong value reads as None.

    `span` covers both `---` lines and their line ends. `session` is a session id (a URI there has
    been decoded), `new_session` says that a session shall be created at the first send. `members`
    are the keys below `dsh` in document order, unknown ones and wrong values included.
    """

    span: Span
    session: str | None = None
    session_span: Span | None = None
    new_session: bool = False
    cwd: str | None = None
    mode: str | None = None
    members: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What the start of a document holds; without a `dsh` key it is all body."""

    front_matter: FrontMatter | None = None
    body_start: int = 0
    problems: tuple[Problem, ...] = ()


def read_front_matter(text: str) -> Reading:
    """Read the front matter of a document, if it has one with a `dsh` key; never raises."""
    block = find_block(text)
    if block is None:
        return Reading(problems=near_front_matter(text))
    # Not at the top, for most documents have no front matter and a server should start quickly.
    from dsh_lsp.core.front_matter_yaml import Fault, dsh_members

    members = dsh_members(text, block)
    if members is None or (isinstance(members, Fault) and not block.has_dsh):
        return Reading(problems=near_front_matter(text))
    unclosed = (_unclosed(block),) if block.closing else ()
    if isinstance(members, Fault):
        fault = _error(members.span, members.message)
        return Reading(FrontMatter(block.span), block.span.end, (*unclosed, fault))
    reader = _Reader(FrontMatter(block.span, members=members))
    reader.read()
    return Reading(reader.front_matter, block.span.end, (*unclosed, *reader.problems))


class _Reader:
    """Reads the keys below `dsh` one by one; a fault costs only its own key."""

    def __init__(self, front_matter: FrontMatter) -> None:
        self.front_matter = front_matter
        self.problems: list[Problem] = []
        self._readers: dict[str, Callable[[Member, str], None]] = {
            "session": self._read_session,
            "cwd": self._read_cwd,
            "mode": self._read_mode,
        }

    def read(self) -> None:
        seen = set()
        for member in self.front_matter.members:
            read = self._readers.get(member.key)
            if read is None:
                self._report_unknown(member)
            elif member.key in seen:
                self._report(member.key_span, f"`{member.key}` is given twice: remove this one.")
            elif member.value is None:
                self._report(_seen(member), _EXPECTED[member.key])
            else:
                seen.add(member.key)
                read(member, member.value)

    def _read_session(self, member: Member, value: str) -> None:
        if value == NEW_SESSION:
            self.front_matter = replace(self.front_matter, new_session=True)
            return
        session_id = examine(value) if value.lower().startswith(SCHEME) else value
        if isinstance(session_id, str):
            self.front_matter = replace(
                self.front_matter, session=session_id, session_span=member.value_span
            )
            return
        meant = session_id.meant
        fixes = () if meant is None else _replacement("Make canonical", member, meant)
        self._report(member.value_span, session_id.message, fixes)

    def _read_cwd(self, member: Member, value: str) -> None:
        if _ABSOLUTE.match(value):
            self.front_matter = replace(self.front_matter, cwd=value)
        else:
            self._report(member.value_span, _EXPECTED["cwd"])

    def _read_mode(self, member: Member, value: str) -> None:
        if value in MODES:
            self.front_matter = replace(self.front_matter, mode=value)
            return
        fixes = tuple(
            fix for mode in MODES for fix in _replacement(f"Change to `{mode}`", member, mode)
        )
        self._report(member.value_span, _EXPECTED["mode"], fixes)

    def _report(self, span: Span, message: str, fixes: tuple[Fix, ...] = ()) -> None:
        self.problems.append(_error(span, message, fixes))

    def _report_unknown(self, member: Member) -> None:
        keys = ", ".join(f"`{key}`" for key in KEYS)
        message = f"`dsh` has no key `{one_line(member.key)}`: it has {keys}."
        self.problems.append(Problem(CODE, Severity.WARNING, member.key_span, message))


_EXPECTED = {
    "session": f"`session` must be a session id, a `{SCHEME}` URI, or `{NEW_SESSION}`.",
    "cwd": "`cwd` must be an absolute path, written out (no `~`).",
    "mode": "`mode` must be `queue` or `steer`.",
}


def _error(span: Span, message: str, fixes: tuple[Fix, ...] = ()) -> Problem:
    return Problem(CODE, Severity.ERROR, span, message, fixes)


def _replacement(title: str, member: Member, value: str) -> tuple[Fix, ...]:
    """The fix that writes another value; none where only a part of the old one would go."""
    return (Rewrite(title, (Edit(member.value_span, value),)),) if member.whole else ()


def _seen(member: Member) -> Span:
    """The value, or the key where there is none to point at."""
    value = member.value_span
    return value if value.end > value.start else member.key_span


def _unclosed(block: Block) -> Problem:
    end = block.content.end
    fix = Rewrite("Close the front matter", (Edit(Span(end, end), block.closing),))
    message = "This front matter is not closed: add a line `---` below its last line."
    return _error(block.opening, message, (fix,))
