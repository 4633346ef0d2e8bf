"""Blocking reads in threads that are left behind when nobody waits for them any more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from anyio.lowlevel import RunVar

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions.logfile import Stop

MOST = 200
"""Reads under way at a time in one event loop. Only a disk that does not answer makes so many."""

T = TypeVar("T")

_TURNS: RunVar[threading.Semaphore] = RunVar("reads that may begin")


async def in_thread(work: Callable[[Stop], T]) -> T:
    """The result of `work` from a thread. A cancelled wait ends at once and asks it to stop.

    Raises `ReadFailedError` while `MOST` others have not ended, those left behind among them.
    """
    turns = _turns()
    if not turns.acquire(blocking=False):
        raise ReadFailedError(
            f"the disk does not answer: {MOST} reads wait for it", ReadFault.UNREADABLE
        )
    stop = threading.Event()
    given_back = threading.Lock()
    begun = False

    def give_back() -> None:
        if given_back.acquire(blocking=False):
            turns.release()

    def run() -> T:
        nonlocal begun
        begun = True
        try:
            return work(stop)
        finally:
            give_back()

    try:
        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
    finally:
        stop.set()
        if not begun:
            give_back()  # cancelled while it waited for a thread


def _turns() -> threading.Semaphore:
    turns = _TURNS.get(None)
    if turns is None:
        turns = threading.Semaphore(MOST)
        _TURNS.set(turns)
    return turns
