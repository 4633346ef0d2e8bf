"""Reading titles ahead, so that no keystroke meets a log that was not read yet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from dsh_lsp.server.progress import Progress
from dsh_lsp.server.services import Warm

TITLE = "dsh-lsp: reading the titles of sessions"

_log = logging.getLogger("dsh_lsp.server")


class Warming:
    """One reading after the other for one set of services, as long as sessions change.

    A user may cancel the reading at hand; the next change of the store begins another.
    """

    def __init__(self, warm: Warm, folder: Callable[[], str | None]) -> None:
        """`folder` is the one whose sessions matter most just now."""
        self._warm = warm
        self._folder = folder
        self._wanted = asyncio.Event()
        self._wanted.set()

    def again(self) -> None:
        """Sessions changed: look for titles that are not known once the reading at hand ends."""
        self._wanted.set()

    async def run(self, follow: Callable[[asyncio.Task[None]], Progress]) -> None:
        """Until cancelled. `follow` gives each reading, which it may cancel, its progress."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            steps = _Steps()
            reading = asyncio.create_task(self._read(steps))
            steps.progress = follow(reading)
            try:
                await asyncio.wait({reading})
            finally:
                reading.cancel()
                steps.progress.end()

    async def _read(self, steps: _Steps) -> None:
        try:
            await self._warm(steps.tell, cwd=self._folder())
        except Exception as fault:
            _log.warning("reading titles failed with %s", type(fault).__name__)


class _Steps:
    progress: Progress

    def tell(self, done: int, total: int) -> None:
        self.progress.step(f"{done:,} of {total:,}", 100 * done // max(1, total))
