"""Work that several callers want at the same time is done once."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from dsh_lsp.sessions.logfile import Stop

T = TypeVar("T")


class _Flight(Generic[T]):
    """Work under way in a thread of its own, and how many wait for it."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.waiting = 0


class Flights(Generic[T]):
    """Blocking work by key. Whoever asks for a key while its work is under way waits for that.

    A cancelled wait ends at once; the work is asked to stop when nobody waits for it any more.
    """

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight[T]] = {}

    async def join(self, key: Hashable, work: Callable[[Stop], T]) -> T:
        """The result of the work for this key, or its exception."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = self._start(work)
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.done)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                flight.stop.set()
            over = not flight.waiting or flight.done.done()
            if over and self._flights.get(key) is flight:
                del self._flights[key]

    def _start(self, work: Callable[[Stop], T]) -> _Flight[T]:
        flight: _Flight[T] = _Flight()
        loop = asyncio.get_running_loop()

        def land(result: T | None, error: BaseException | None) -> None:
            if flight.done.cancelled():
                return
            if error is not None:
                flight.done.set_exception(error)
                flight.done.exception()  # looked at: perhaps nobody waits any more
            else:
                flight.done.set_result(result)  # type: ignore[arg-type]

        def fly() -> None:
            result, fault = None, None
            try:
                result = work(flight.stop)
            except BaseException as error:
                fault = error
            with contextlib.suppress(RuntimeError):  # the loop is closed, so nobody waits
                loop.call_soon_threadsafe(land, result, fault)

        threading.Thread(target=fly, name="dsh-lsp reading", daemon=True).start()
        return flight
