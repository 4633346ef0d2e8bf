"""Work that is wanted again and again, and never done twice at the same time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

_log = logging.getLogger("dsh_lsp.server")


class Errand:
    """One piece of work. However often it is asked for, it sees what changed last."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None
        self._is_wanted = False

    def restart(self, pause: float) -> None:
        """Do it after this many seconds, which begin anew each time. What is under way ends."""
        self.cancel()
        self._task = asyncio.ensure_future(self._run(pause))

    def ensure(self, pause: float) -> None:
        """Do it after this many seconds at the latest, or else once more behind what is under way.

        So work that is asked for all the time is done all the time, and not put off for ever.
        """
        if self._task is None or self._task.done():
            self.restart(pause)
        self._is_wanted = True

    def cancel(self) -> None:
        """End it."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, pause: float) -> None:
        self._is_wanted = True
        while self._is_wanted:
            await asyncio.sleep(pause)
            self._is_wanted = False
            try:
                await self._work()
            except Exception as fault:
                _log.warning("a check failed with %s", type(fault).__name__)
