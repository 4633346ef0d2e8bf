"""A value from a slow source: the newest known at once, a newer one on its way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from dsh_lsp.core.failures import ReadFailedError

T = TypeVar("T")

INTERVAL = 2.0
"""Seconds for which a value that came quickly counts as new."""

AFTERWARDS = 0.05
"""Seconds until a value is loaded that nobody waits for, so that who asked is answered first."""

_SHARE = 30  # loading keeps the source busy for at most one thirtieth of the time


class Refreshed(Generic[T]):
    """Loads a value again when it is asked for and no longer new, in the background.

    `load` raises `ReadFailedError`; the last good value stays beside the error.
    """

    def __init__(
        self, load: Callable[[], Awaitable[T]], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._load = load
        self._clock = clock
        self._loading: asyncio.Task[None] | None = None
        self._new_until = 0.0
        self._changed = asyncio.Event()
        self.value: T | None = None
        """The newest known."""
        self.error: ReadFailedError | None = None
        """Why the last loading failed; None when it did not."""

    async def soon(self, patience: float) -> T | None:
        """The newest known value; the first one is waited for, `patience` seconds at most."""
        loading = self._refresh(0.0 if patience > 0 else AFTERWARDS)
        is_first = self.value is None and self.error is None
        if is_first and loading is not None and patience > 0:
            await asyncio.wait({loading}, timeout=patience)
        return self.value

    async def now(self) -> T:
        """A value loaded after this call. Raises `ReadFailedError`."""
        if self._loading is not None:
            await asyncio.wait({self._loading})  # it began before
        self._new_until = 0.0
        loading = self._refresh()
        if loading is not None:
            await asyncio.wait({loading})
        if self.error is not None:
            raise ReadFailedError(self.error.message, self.error.reason)
        if self.value is None:
            raise RuntimeError("loading was cancelled")
        return self.value

    async def changed(self) -> None:
        """Return when another value has come, now or since the last call."""
        await self._changed.wait()
        self._changed.clear()

    async def aclose(self) -> None:
        """End a loading that runs."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait({self._loading})

    def _refresh(self, after: float = 0.0) -> asyncio.Task[None] | None:
        if self._loading is None and self._clock() >= self._new_until:
            self._loading = asyncio.create_task(self._load_once(after))
            self._loading.add_done_callback(self._ended)
        return self._loading

    async def _load_once(self, after: float) -> None:
        await asyncio.sleep(after)
        started = self._clock()
        try:
            value = await self._load()
        except ReadFailedError as error:
            self.error = error.with_traceback(None)
        else:
            self.error = None
            if value != self.value:
                self.value = value
                self._changed.set()
        finally:
            took = self._clock() - started
            self._new_until = self._clock() + max(INTERVAL, took * _SHARE)

    def _ended(self, loading: asyncio.Task[Any]) -> None:
        self._loading = None
        if not loading.cancelled():
            loading.exception()
