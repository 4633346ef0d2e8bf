"""Matching and ranking the sessions that a mention could name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


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

    @property
    def display_title(self) -> str:
        """What is shown, matched and put into a mention: subagent label, else title, else id."""
        for name in (self.label, self.title):
            if name is not None:
                return name
        return self.session_id


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
    raise NotImplementedError
