"""The sessions of a listing by their working directories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from dsh_lsp.sessions.query import SessionEntry

Entries = tuple[SessionEntry, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What candidates are asked for. `target_id` is never among them; `cwd` ranks them."""

    query: str
    limit: int
    target_id: str | None
    cwd: str | None


class Grouped:
    """Made once for each listing."""

    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self.by_cwd: dict[str | None, list[SessionEntry]] = {}
        for entry in entries:
            self.by_cwd.setdefault(entry.header.cwd, []).append(entry)
        self._ids: tuple[str | None, tuple[str, ...]] | None = None

    def ids(self, target_id: str | None) -> tuple[str, ...]:
        """The ids of all sessions but the target's: the same object when asked again."""
        if self._ids is None or self._ids[0] != target_id:
            ids = (entry.header.id for entry in self.entries)
            self._ids = (target_id, tuple(each for each in ids if each != target_id))
        return self._ids[1]

    def nearest(self, wanted: Wanted) -> list[SessionEntry]:
        """The first sessions by closeness of their cwd, whatever their titles."""
        near: list[SessionEntry] = []
        for cwd in near_cwds(wanted.cwd):
            others = _but(self.by_cwd.get(cwd, ()), wanted)
            near += islice(others, wanted.limit - len(near))
        if len(near) < wanted.limit:
            far = (e for e in self.entries if e.header.cwd not in near_cwds(wanted.cwd))
            near += islice(_but(far, wanted), wanted.limit - len(near))
        return near


def near_cwds(cwd: str | None) -> tuple[str | None, ...]:
    """The working directories that go before all others, nearest first."""
    return (None,) if cwd is None else (cwd, None)


def _but(entries: Iterable[SessionEntry], wanted: Wanted) -> Iterator[SessionEntry]:
    return (entry for entry in entries if entry.header.id != wanted.target_id)
