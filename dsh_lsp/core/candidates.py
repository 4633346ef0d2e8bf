"""Matching and ranking the sessions that a mention could name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.javascript import MAX_SAFE_INTEGER, join_surrogates, safe_integer

DEFAULT_LIMIT = 50
"""Candidates of one answer, where the caller does not say otherwise."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A session that can be mentioned. `created_at` is Unix milliseconds.

    `title` is the latest folded title, `label` the one that a subagent was created with.
    """

    session_id: str
    created_at: int
    cwd: str | None = None
    title: str | None = None
    label: str | None = None

    # Lower-cased once here, since every keystroke looks through all candidates.
    _fields: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        fields = (self.session_id, self.cwd, self.title, self.label)
        object.__setattr__(self, "_fields", tuple(_lower(text) for text in fields if text))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that a query is looked for in, in lower case."""
        return self._fields

    @property
    def display_title(self) -> str:
        """What is shown, matched and put into a mention: subagent label, else title, else id."""
        for name in (self.label, self.title):
            if name is not None:
                return name
        return self.session_id

    def holds(self, needle: str) -> bool:
        """Whether id, cwd, title or label holds `needle`, which is lower case."""
        for text in self._fields:  # noqa: SIM110 - `any` of a generator takes twice as long
            if needle in text:
                return True
        return False

    def holds_units(self, needle: str) -> bool:
        """Like `holds`, in UTF-16 code units: half of an astral character is found as well."""
        return any(needle in _code_units(text) for text in self._fields)


def needle_of(query: str) -> str | None:
    """What a query's matches hold in one of their texts.

    None for a query with half a character, which is looked for in UTF-16 code units.
    """
    needle = _lower(query)
    return None if _SURROGATE.search(needle) else needle


def check_limit(limit: object) -> int:
    """The limit; raises `InvalidReferenceError` unless it is a positive safe integer."""
    number = safe_integer(limit)
    if number is None or number < 1:
        raise InvalidReferenceError(
            f"a candidate limit is a whole number from 1 to {MAX_SAFE_INTEGER}"
        )
    return number


def rank(
    sessions: Iterable[Candidate],
    *,
    query: str,
    limit: int,
    target_id: str | None,
    cwd: str | None,
) -> tuple[Candidate, ...]:
    """The first `limit` matches: same cwd first, then none, then others, in listing order within.

    `sessions` are in listing order. Raises `InvalidReferenceError` for a limit below 1.
    """
    others = (session for session in sessions if session.session_id != target_id)
    return nearest(_matching(others, query), lambda c: c.cwd, cwd=cwd, limit=limit)


def nearest(
    items: Iterable[T], cwd_of: Callable[[T], str | None], *, cwd: str | None, limit: int
) -> tuple[T, ...]:
    """The first `limit` items by closeness of their cwd: the same, then none, then others."""
    limit = check_limit(limit)
    same: list[T] = []
    without: list[T] = []
    other: list[T] = []
    for item in items:
        place = cwd_of(item)
        if place is None:
            without.append(item)
        elif place != cwd:
            other.append(item)
        else:
            same.append(item)
            if len(same) == limit:
                break
    return tuple((same + without + other)[:limit])


def _matching(candidates: Iterable[Candidate], query: str) -> Iterable[Candidate]:
    if not query:
        return candidates
    needle = _lower(query)
    if _SURROGATE.search(needle):
        units = _code_units(needle)
        return (candidate for candidate in candidates if candidate.holds_units(units))
    return (candidate for candidate in candidates if candidate.holds(needle))


def _lower(text: str) -> str:
    """As JavaScript's `toLowerCase` has it, to which two halves that meet are one character.

    A text that is in lower case comes back itself, since thousands are kept.
    """
    lower = text.lower() if text.isascii() else join_surrogates(text).lower()
    return text if lower == text else lower


def _code_units(text: str) -> str:
    """Each astral character as its two surrogates, so that halves compare as in JavaScript."""
    return _ASTRAL.sub(lambda astral: _halves(ord(astral[0]) - 0x10000), text)


def _halves(offset: int) -> str:
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))
