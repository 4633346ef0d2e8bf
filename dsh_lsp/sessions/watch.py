"""Telling which sessions of a store changed (docs/storage.md)."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.notified import Notified
from dsh_lsp.sessions.query import Listing, SessionEntry
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
    """What differs. An entry that is the same object is the same, and that is most of them."""
    gone, come = _only_in(before, now), _only_in(now, before)
    return StoreChange(
        appeared=frozenset(come.keys() - gone.keys()),
        changed=frozenset(
            session_id
            for session_id in come.keys() & gone.keys()
            if _place_and_revision(come[session_id]) != _place_and_revision(gone[session_id])
        ),
        vanished=frozenset(gone.keys() - come.keys()),
    )


def _only_in(one: Listing, other: Listing) -> dict[str, SessionEntry]:
    others = set(map(id, other.sessions))
    return {entry.header.id: entry for entry in one.sessions if id(entry) not in others}


def _place_and_revision(entry: SessionEntry) -> tuple[str, str]:
    return entry.origin, entry.revision
