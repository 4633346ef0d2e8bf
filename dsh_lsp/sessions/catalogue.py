"""Candidates of the listed sessions, built once for each session and its title."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class _Named:
    """The candidates of one listing with one set of titles."""

    sessions: Grouped
    titles: Titles
    known: Mapping[str, _Known]
    all: Haystack
    by_cwd: dict[str | None, Haystack] = field(default_factory=dict)  # as they are asked for


class Catalogue:
    """Remembers the candidates that were made last.

    A keystroke asks again about the same thousands of sessions. As long as listing and titles are
    the same objects nothing is made again, and of others only what changed. Safe to use from
    several threads; none waits for another one that has something else to make.
    """

    def __init__(self) -> None:
        self._last = _Named(Grouped(()), {}, {}, Haystack(()))
        self._making = threading.Lock()

    def is_ready(self, sessions: Grouped, titles: Titles) -> bool:
        """Whether `find` has nothing to make first, which may take a while."""
        last = self._last
        return sessions is last.sessions and titles is last.titles

    def find(self, sessions: Grouped, titles: Titles, wanted: Wanted) -> tuple[Candidate, ...]:
        """The first matches of a query, as `core.candidates.rank` has them."""
        last = self._last
        if sessions is not last.sessions or titles is not last.titles:
            with self._making:
                last = self._last = _renamed(self._last, sessions, titles)
        needle = needle_of(wanted.query)
        if needle is None or SEPARATOR in needle:
            return rank(
                last.all,
                query=wanted.query,
                limit=wanted.limit,
                target_id=wanted.target_id,
                cwd=wanted.cwd,
            )
        return tuple(islice(_matches(last, needle, wanted), wanted.limit))


def candidate_of(entry: SessionEntry, title: SessionTitle | None) -> Candidate:
    """A listed session as a candidate; without a title its id stands for it."""
    return Candidate(
        session_id=entry.header.id,
        created_at=entry.header.created_at,
        cwd=entry.header.cwd,
        title=title.title if title else None,
        label=title.label if title else None,
    )


def _renamed(last: _Named, sessions: Grouped, titles: Titles) -> _Named:
    known: dict[str, _Known] = {}
    for entry in sessions.entries:
        session_id = entry.header.id
        title = titles.get(session_id)
        old = last.known.get(session_id)
        if old is None or old.entry is not entry or old.title is not title:
            old = _Known(entry, title, candidate_of(entry, title))
        known[session_id] = old
    every = Haystack([each.candidate for each in known.values()], last.all)
    now = _Named(sessions, titles, known, every)
    for cwd in last.by_cwd.keys() & sessions.by_cwd.keys():
        now.by_cwd[cwd] = _of_cwd(now, cwd, last.by_cwd[cwd])
    return now


def _of_cwd(named: _Named, cwd: str | None, before: Haystack | None = None) -> Haystack:
    entries = named.sessions.by_cwd.get(cwd, ())
    return Haystack([named.known[entry.header.id].candidate for entry in entries], before)


def _matches(named: _Named, needle: str, wanted: Wanted) -> Iterator[Candidate]:
    """All matches, nearest first; looks no further than is asked for."""
    near = near_cwds(wanted.cwd)
    for cwd in near:
        haystack = named.by_cwd.get(cwd)
        if haystack is None:
            haystack = named.by_cwd[cwd] = _of_cwd(named, cwd)
        for candidate in haystack.find(needle):
            if candidate.session_id != wanted.target_id:
                yield candidate
    for candidate in named.all.find(needle):
        if candidate.cwd not in near and candidate.session_id != wanted.target_id:
            yield candidate
