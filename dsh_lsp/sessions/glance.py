"""Where in a store something has changed most likely, at a small part of a whole look's price."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from dsh_lsp.sessions.scan import ROOT, WHOLE, FoundLog, folder_times, revision_of
from dsh_lsp.sessions.seen import SeenSession, SeenStore

RECENT = 64
"""How many logs are looked at: those that were written to last."""

Place = tuple[str, str]
"""The name of a project, and of an entry in it or `WHOLE`."""


class Glance:
    """Looks at the times of the projects' folders, which change when sessions appear or vanish, and
    at the logs that were written to last, since these go on growing most often.

    What it misses, the next whole look finds. Blocking.
    """

    def __init__(self, root: Path, times: Mapping[str, int]) -> None:
        """`times` are those of the folders just before the whole look that glances add to."""
        self._root = root
        self._times = times
        self._looked_at: set[Place] | None = None

    def places(self, store: SeenStore) -> set[Place]:
        """Where something is not as it is in `store`, as far as a glance can tell."""
        if self._looked_at is None:
            self._looked_at = {(log.project, log.folder) for log in _newest(store)}
        changed = set(self._in_projects(store))
        self._looked_at |= changed
        return changed | {place for place in self._looked_at if _differs(store, place)}

    def _in_projects(self, store: SeenStore) -> Iterator[Place]:
        """The entries that came or went in projects whose folders changed."""
        before, now = self._times, folder_times(self._root)
        if now is None:
            return  # the store is gone: that is for a whole look
        self._times = now
        for project in before.keys() | now.keys():
            if project != ROOT and before.get(project) != now.get(project):
                known = store.places.get(project, {}).keys()
                try:
                    names = set(os.listdir(self._root / project))  # noqa: PTH208 - names only
                except OSError:
                    names = {WHOLE}
                yield from ((project, name) for name in known ^ names)


def _newest(store: SeenStore) -> list[FoundLog]:
    return heapq.nlargest(RECENT, store.logs.values(), key=lambda log: log.written)


def _differs(store: SeenStore, place: Place) -> bool:
    """Whether a place's log was written to, or is to be looked for."""
    project, name = place
    items = store.places.get(project, {}).get(name, ())
    logs = [item.log for item in items if isinstance(item, SeenSession)]
    if not logs:
        return True
    try:
        return any(revision_of(os.stat(log.path)) != log.revision for log in logs)  # noqa: PTH116
    except OSError:
        return True
