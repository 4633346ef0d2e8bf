"""Work on long prompts in a thread of its own, so that the event loop stays free meanwhile.

A prompt can be made to hold hundreds of thousands of mentions, and reading them takes seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

T = TypeVar("T")


class Aside:
    """One thread, which begins nothing that nobody waits for any more."""

    def __init__(self) -> None:
        self._thread: Executor | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, when all that was given before has ended."""
        if self._thread is None:
            from concurrent.futures import ThreadPoolExecutor  # no short prompt waits for it

            self._thread = ThreadPoolExecutor(1, "long-prompts")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """Begin nothing more; what runs is left behind."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
