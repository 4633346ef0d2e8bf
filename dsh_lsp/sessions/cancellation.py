"""Waiting for calls that may not be interruptible."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import anyio

from dsh_lsp.core.failures import CancelledError

T = TypeVar("T")


class AbandonableCalls:
    """Waits for backend calls, and leaves them behind at once when the waiting is cancelled.

    A backend may be stuck in a thread that nothing can interrupt. In a task group the caller would
    have to wait for it: a group ends only when all its children have ended, cancelled or not. So
    each call is a task of the event loop instead, which the caller watches but does not own.
    """

    def __init__(self) -> None:
        # The event loop itself holds tasks weakly: one that is left behind could vanish half-way.
        self._running: set[asyncio.Task[Any]] = set()

    async def settle(
        self, call: Callable[[], Awaitable[T]], cancel: anyio.Event | None = None
    ) -> T:
        """The result of `call()`, or its exception.

        When the surrounding scope or task is cancelled, that cancellation passes through; when
        `cancel` is set, `CancelledError` is raised. Either way the call is asked to stop and not
        waited for, and what becomes of it is dropped.
        """
        task: asyncio.Task[T] = self._start(_run(call))
        watched: set[asyncio.Task[Any]] = {task}
        if cancel is not None:
            watched.add(self._start(_run(cancel.wait)))
        try:
            await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in watched:
                each.cancel()  # nothing happens to one that has ended
        if cancel is not None and cancel.is_set():
            raise CancelledError("the request was cancelled; nothing was prepared")
        if task.cancelled():
            raise RuntimeError("the session backend cancelled its own call")
        return task.result()

    def begin(self, name: str, call: Callable[[], Awaitable[object]]) -> None:
        """Do something in the background, unless the same is under way already."""
        if all(task.get_name() != name for task in self._running):
            self._start(_run(call)).set_name(name)

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not report it as never retrieved


async def _run(call: Callable[[], Awaitable[T]]) -> T:
    return await call()
