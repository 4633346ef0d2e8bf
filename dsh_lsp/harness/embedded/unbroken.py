"""Work that goes on to its end when nobody waits for it any more."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Unbroken:
    """Runs pieces of work that must not stop half-way, such as writing and then remembering it.

    A language server cancels the task of a request in the middle of any `await`, a thread's result
    included. So each piece is a task of its own, which the caller only watches.
    """

    def __init__(self) -> None:
        # The event loop itself holds tasks weakly.
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`. When the caller is cancelled, the work still runs to its end."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def drained(self) -> None:
        """Return when nothing runs any more."""
        while self._running:
            await asyncio.wait(self._running)
