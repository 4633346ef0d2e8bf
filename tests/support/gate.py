"""Threads that nothing can interrupt, until the test lets them go."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import anyio.to_thread

_LONGEST_WAIT = 10.0  # seconds; a test that waits for the thread fails after it, and does not hang


class Gate:
    """A thread that waits inside `block` ignores every cancellation of the task around it."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._waits = anyio.Event()
        self.passed = 0

    async def block(self) -> None:
        """Wait in a thread until the gate opens."""
        self._waits.set()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._open.wait, _LONGEST_WAIT)
        self.passed += 1

    async def someone_waits(self) -> None:
        """Return when the first call is about to wait."""
        await self._waits.wait()

    @property
    def is_open(self) -> bool:
        return self._open.is_set()

    def open(self) -> None:
        """Let every thread go."""
        self._open.set()


@contextmanager
def gate() -> Iterator[Gate]:
    """A gate that opens at the end of the test, so that no thread outlives it."""
    one = Gate()
    try:
        yield one
    finally:
        one.open()
