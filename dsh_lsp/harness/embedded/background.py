"""A task group that lives as long as its owner, whoever calls the owner first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import anyio.abc

from dsh_lsp.harness.port import HarnessError


class Background:
    """Starts with its first use and ends with `aclose`.

    A task group must be entered and left by one task, and the callers come from many; so a task of
    its own holds it.
    """

    def __init__(self) -> None:
        self._holder: asyncio.Task[None] | None = None
        self._started = anyio.Event()
        self._stopping = anyio.Event()
        self._group: anyio.abc.TaskGroup | None = None

    async def ready(self) -> None:
        """Return when work can be started. Raises `HarnessError` after `aclose`."""
        if self._stopping.is_set():
            raise HarnessError("the embedded harness is closed")
        if self._holder is None:
            self._holder = asyncio.create_task(self._hold())
        await self._started.wait()

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        """Run `work`, which must not raise; whether it was still possible."""
        if self._group is None or self._stopping.is_set():
            return False
        self._group.start_soon(work)
        return True

    async def aclose(self) -> None:
        """Cancel everything that runs, and return when it has ended."""
        self._stopping.set()
        if self._holder is not None:
            await asyncio.wait([self._holder])

    async def _hold(self) -> None:
        async with anyio.create_task_group() as group:
            self._group = group
            self._started.set()
            await self._stopping.wait()
            group.cancel_scope.cancel()
