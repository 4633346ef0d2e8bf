"""Looking at a store again and again, where nothing else tells of changes (docs/storage.md)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncGenerator

import anyio

from dsh_lsp.sessions.query import Listing
from dsh_lsp.sessions.store import SessionStore

INTERVAL = 0.1
"""Seconds between two glances, which see most changes (`SessionStore.glance`)."""

WHOLE_INTERVAL = 0.5
"""Seconds between two looks at everything, where that is quickly done."""

_SHARE = 10  # looks at everything take at most one tenth of the time, and glances another one
_FEW = 4  # of the last glances the quickest counts: others are held up by other threads


class Polling:
    """A look at everything costs what listing an unchanged store costs. The larger the store, the
    longer the pause, so that looking never takes more than a small part of one processor.
    """

    def __init__(self, *, interval: float = INTERVAL) -> None:
        """`interval` is that of glances, and the least that there is between two whole looks."""
        self._interval = interval

    async def looks(self, store: SessionStore) -> AsyncGenerator[Listing, None]:
        """The store's listing as it is now, without an end."""
        listing = await store.refresh()
        yield listing
        took: deque[float] = deque([0.0], maxlen=_FEW)
        next_whole = time.monotonic() + WHOLE_INTERVAL
        while True:
            await anyio.sleep(max(self._interval, min(took) * _SHARE))
            before, start = listing, time.monotonic()
            if start >= next_whole:
                listing = await store.refresh()
                now = time.monotonic()
                next_whole = now + max(WHOLE_INTERVAL, (now - start) * _SHARE)
            else:
                listing = await store.glance()
                if listing is before:  # else what was found took most of the time
                    took.append(time.monotonic() - start)
            yield listing
