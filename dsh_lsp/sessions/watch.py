"""Telling which sessions of a store changed (docs/storage.md)."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.notified import Notified
from dsh_lsp.sessions.query import Listing
from dsh_lsp.sessions.store import SessionStore
from dsh_lsp.sessions.threads import in_thread


@dataclass(frozen=True, slots=True)
class StoreChange:
    """Ids of sessions whose logs appeared, changed or vanished between two looks."""

    appeared: frozenset[str]
    changed: frozenset[str]
    vanished: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.appeared or self.changed or self.vanished)


class Looks(Protocol):
    """When to look at a store."""

    def looks(self, store: SessionStore) -> AsyncGenerator[Listing, None]:
        """The store's listing: at once, and whenever it may have changed, without an end."""
        ...


class StoreWatch:
    """Watches a store for as long as somebody iterates over `changes`, and no longer.

    Meanwhile the store gives its listing without looking.
    """

    def __init__(self, store: SessionStore, looks: Looks | None = None) -> None:
        self._store = store
        self._looks = looks or Notified()

    async def changes(self) -> AsyncGenerator[StoreChange, None]:
        """An endless stream: one item for each look that found something changed.

        That includes what changed between the last listing before, if any, and the first look.
        """
        with self._store.followed():
            before = self._store.listed
            async with contextlib.aclosing(self._looks.looks(self._store)) as looks:
                async for now in looks:
                    if before is None:
                        before = now
                    elif now is not before:
                        change = await in_thread(partial(_change, before, now))
                        before = now
                        if change:
                            yield change


def _change(before: Listing, now: Listing, _stop: Stop) -> StoreChange:
    old = {entry.header.id: entry for entry in before.sessions}
    new = {entry.header.id: entry for entry in now.sessions}
    return StoreChange(
        appeared=frozenset(new.keys() - old.keys()),
        changed=frozenset(
            session_id
            for session_id, entry in new.items()
            if (known := old.get(session_id)) is not None
            and entry is not known
            and (entry.origin, entry.revision) != (known.origin, known.revision)
        ),
        vanished=frozenset(old.keys() - new.keys()),
    )
