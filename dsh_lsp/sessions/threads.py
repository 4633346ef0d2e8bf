"""Blocking reads in threads that are left behind when nobody waits for them any more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from dsh_lsp.sessions.logfile import Stop

T = TypeVar("T")


async def in_thread(work: Callable[[Stop], T]) -> T:
    """The result of `work` from a thread. A cancelled wait ends at once and asks it to stop."""
    stop = threading.Event()
    try:
        return await anyio.to_thread.run_sync(work, stop, abandon_on_cancel=True)
    finally:
        stop.set()
