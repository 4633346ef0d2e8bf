"""Candidates of the listed sessions, built once for each session and its title."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from dsh_lsp.core.candidates import Candidate, needle_of, rank
from dsh_lsp.sessions.grouped import Grouped, Wanted, near_cwds
from dsh_lsp.sessions.haystack import SEPARATOR, Haystack
from dsh_lsp.sessions.query import SessionEntry, SessionTitle

Titles = Mapping[str, SessionTitle]


@dataclass(frozen=True, slots=True)
class _Known:
    entry: SessionEntry
    title: SessionTitle | None
    candidate: Candidate


class Candidates:
    """The candidates of one listing with one set of titles; safe to use from several threads."""

    def __init__(
        self,
        sessions: Grouped,
        titles: Titles,
        known: Mapping[str, _Known],
        everything: Haystack,
    ) -> None:
        self.sessions = sessions
        self.titles = titles
        self._known = known
        self._all = everything
        self._by_cwd: dict[str | None, Haystack] = {}  # put together when they are asked for

    def renewed(self, sessions: Grouped, titles: Titles) -> Candidates:
        """Those of another listing or other titles; what is as it was is taken from here."""
        known = _known(sessions, titles, self._known)
        every = Haystack([each.candidate for each in known.values()], self._all)
        twin = Candidates(sessions, titles, known, every)
        for cwd in self._by_cwd.keys() & sessions.by_cwd.keys():
            twin._by_cwd[cwd] = twin._of_cwd(cwd, self._by_cwd[cwd])
        return twin

    def find(self, wanted: Wanted) -> tuple[Candidate, ...]:
        """The first matches of a query, as `core.candidates.rank` has them."""
        needle = needle_of(wanted.query)
        if needle is None or SEPARATOR in needle:
            return rank(
                self._all,
                query=wanted.query,
                limit=wanted.limit,
                target_id=wanted.target_id,
                cwd=wanted.cwd,
            )
        return tuple(islice(self._matches(needle, wanted), wanted.limit))

    def _matches(self, needle: str, wanted: Wanted) -> Iterator[Candidate]:
        """All matches, nearest first; looks no further than is asked for."""
        near = near_cwds(wanted.cwd)
        for cwd in near:
            haystack = self._by_cwd.get(cwd)
            if haystack is None:
                haystack = self._by_cwd[cwd] = self._of_cwd(cwd, None)
            for candidate in haystack.find(needle):
                if candidate.session_id != wanted.target_id:
                    yield candidate
        for candidate in self._all.find(needle):
            if candidate.cwd not in near and candidate.session_id != wanted.target_id:
                yield candidate

    def _of_cwd(self, cwd: str | None, before: Haystack | None) -> Haystack:
        entries = self.sessions.by_cwd.get(cwd, ())
        return Haystack([self._known[entry.header.id].candidate for entry in entries], before)


class Catalogue:
    """Remembers the candidates that were made last.

    A keystroke asks again about the same thousands of sessions. As long as listing and titles are
    the same objects nothing is made again, and of others only what changed.
    """

    def __init__(self) -> None:
        self.last = Candidates(Grouped(()), {}, {}, Haystack(()))
        self._making = threading.Lock()

    def make(self, sessions: Grouped, titles: Titles) -> Candidates:
        """The candidates of a listing with some titles. Takes a while for thousands of new ones."""
        with self._making:
            last = self.last
            if sessions is not last.sessions or titles is not last.titles:
                last = self.last = last.renewed(sessions, titles)
            return last


def candidate_of(entry: SessionEntry, title: SessionTitle | None) -> Candidate:
    """A listed session as a candidate; without a title its id stands for it."""
    return Candidate(
        session_id=entry.header.id,
        created_at=entry.header.created_at,
        cwd=entry.header.cwd,
        title=title.title if title else None,
        label=title.label if title else None,
    )


def _known(sessions: Grouped, titles: Titles, before: Mapping[str, _Known]) -> Mapping[str, _Known]:
    now: dict[str, _Known] = {}
    for entry in sessions.entries:
        session_id = entry.header.id
        title = titles.get(session_id)
        known = before.get(session_id)
        if known is None or known.entry is not entry or known.title is not title:
            known = _Known(entry, title, candidate_of(entry, title))
        now[session_id] = known
    return now
