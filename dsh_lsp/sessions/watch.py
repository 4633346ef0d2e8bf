"""Telling which sessions of a store changed, by looking again and again (docs/storage.md)."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

import anyio

from dsh_lsp.sessions.query import Listing
from dsh_lsp.sessions.store import SessionStore

INTERVAL = 0.5
"""Seconds between two looks at a store that is quickly looked through."""

_SHARE = 10  # looking takes at most one tenth of the time


@dataclass(frozen=True, slots=True)
class StoreChange:
    """Ids of sessions whose logs appeared, changed or vanished between two looks."""

    appeared: frozenset[str]
    changed: frozenset[str]
    vanished: frozenset[str]


class StoreWatch:
    """Watches a store for as long as somebody iterates over `changes`, and no longer.

    A look costs what listing an unchanged store costs. The larger the store, the longer the pause,
    so that watching never takes more than a tenth of one processor.
    """

    def __init__(self, store: SessionStore, *, interval: float = INTERVAL) -> None:
        self._store = store
        self._interval = interval

    async def changes(self) -> AsyncGenerator[StoreChange, None]:
        """An endless stream: one item for each look that found something changed."""
        before = _revisions(await self._store.refresh())
        pause = self._interval
        while True:
            await anyio.sleep(pause)
            start = time.monotonic()
            now = _revisions(await self._store.refresh())
            pause = max(self._interval, (time.monotonic() - start) * _SHARE)
            if now != before:
                yield _change(before, now)
            before = now


def _revisions(listing: Listing) -> dict[str, tuple[str, str]]:
    return {entry.header.id: (entry.origin, entry.revision) for entry in listing.sessions}


def _change(
    before: Mapping[str, tuple[str, str]], now: Mapping[str, tuple[str, str]]
) -> StoreChange:
    return StoreChange(
        appeared=frozenset(now.keys() - before.keys()),
        changed=frozenset(key for key in now.keys() & before.keys() if now[key] != before[key]),
        vanished=frozenset(before.keys() - now.keys()),
    )
