"""Which sessions of a list are known to have logs that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable

from dsh_lsp.core.candidates import Candidate
from dsh_lsp.sessions.query import SessionQuery, TitlesAtHand


async def unreadable(query: SessionQuery, sessions: Iterable[Candidate]) -> frozenset[str]:
    """Their ids, as far as that is known without reading.

    A log without a title still has an answer, so one without an answer could not be read.
    """
    untitled = [each.session_id for each in sessions if each.title is None and each.label is None]
    if not untitled or not isinstance(query, TitlesAtHand):
        return frozenset()
    known = await query.known_titles(untitled)
    return frozenset(untitled) - known.titles.keys() if known.complete else frozenset()
