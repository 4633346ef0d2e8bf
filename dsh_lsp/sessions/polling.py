"""Looking at a store again and again, where nothing else tells of changes (docs/storage.md)."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator

import anyio

from dsh_lsp.sessions.query import Listing
from dsh_lsp.sessions.store import SessionStore

INTERVAL = 0.5
"""Seconds between two looks at a store that is quickly looked through."""

_SHARE = 10  # looking takes at most one tenth of the time


class Polling:
    """A look costs what listing an unchanged store costs. The larger the store, the longer the
    pause, so that looking never takes more than a tenth of one processor.
    """

    def __init__(self, *, interval: float = INTERVAL) -> None:
        self._interval = interval

    async def looks(self, store: SessionStore) -> AsyncGenerator[Listing, None]:
        """The store's listing as it is now, without an end."""
        yield await store.refresh()
        pause = self._interval
        while True:
            await anyio.sleep(pause)
            start = time.monotonic()
            listing = await store.refresh()
            pause = max(self._interval, (time.monotonic() - start) * _SHARE)
            yield listing
