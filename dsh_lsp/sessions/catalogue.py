"""Candidates of the listed sessions, built once for each session and its title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dsh_lsp.core.candidates import Candidate
from dsh_lsp.sessions.query import SessionEntry, SessionTitle


@dataclass(frozen=True, slots=True)
class _Known:
    entry: SessionEntry
    title: SessionTitle | None
    candidate: Candidate


class Catalogue:
    """Remembers the candidates of the last listing.

    A candidate holds its lower-cased texts; thousands of them would be lower-cased again with each
    keystroke, though hardly any session changes between two.
    """

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def candidates(
        self, entries: Iterable[SessionEntry], titles: Mapping[str, SessionTitle]
    ) -> list[Candidate]:
        """One candidate for each entry, in their order."""
        before = self._known
        now: dict[str, _Known] = {}
        for entry in entries:
            session_id = entry.header.id
            title = titles.get(session_id)
            known = before.get(session_id)
            if known is None or known.entry is not entry or known.title is not title:
                known = _Known(entry, title, candidate_of(entry, title))
            now[session_id] = known
        self._known = now
        return [known.candidate for known in now.values()]


def candidate_of(entry: SessionEntry, title: SessionTitle | None) -> Candidate:
    """A listed session as a candidate; without a title its id stands for it."""
    return Candidate(
        session_id=entry.header.id,
        created_at=entry.header.created_at,
        cwd=entry.header.cwd,
        title=title.title if title else None,
        label=title.label if title else None,
    )
