"""The one connection to a host: made when it is needed, and never waited for twice when dead."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from dsh_lsp.harness.wire.errors import (
    FenceError,
    HostError,
    LoginNeededError,
    LostAnswerError,
    NotAHostError,
    UnreachableError,
)

if TYPE_CHECKING:
    from dsh_lsp.harness.wire.wire import Wire

T = TypeVar("T")

PATIENCE = 0.3
"""Seconds that passing interest waits for a host which did not answer the last time."""

FIRST_PATIENCE = 2.0
"""The same while nothing is known yet."""

FRESH_SECONDS = 2.0
"""How long an answer vouches for a host."""

_SHORTEST_REST = 0.5
_LONGEST_REST = 30.0
_REST_SHARE = 4  # asking a dead host takes at most a fifth of the time


class Connection:
    """Finds a host with `find`, keeps it until it fails, and remembers why it failed.

    One search runs at a time, in the background, so that whoever asks can stop waiting. `find`
    must end by itself.
    """

    def __init__(
        self, find: Callable[[], Awaitable[Wire]], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._find = find
        self._clock = clock
        self._wire: Wire | None = None
        self._answered_at = 0.0
        self._error: HostError | None = None
        self._rests_until = 0.0
        self._search: asyncio.Task[Wire] | None = None
        self._check: asyncio.Task[None] | None = None

    async def wire(self) -> Wire:
        """The host, found now if need be: for what a user has asked for. Raises `HostError`."""
        if self._wire is not None:
            return self._wire
        return await asyncio.shield(self._searching())

    async def wire_soon(self) -> Wire:
        """The host if it is there, without waiting for a dead one. Raises `HostError`.

        A host that is late with its answer keeps the benefit of the doubt. One that is gone is
        looked for again at once: it may have been started anew.
        """
        if self._wire is not None:
            await self._check_soon(self._wire)
            if self._wire is not None:
                return self._wire
        if self._search is None and self._error is not None and self._clock() < self._rests_until:
            raise self._error.with_traceback(None)
        search = self._searching()
        patience = FIRST_PATIENCE if self._error is None else PATIENCE
        await asyncio.wait({search}, timeout=patience)
        if search.done():
            return search.result()
        if self._error is not None:
            raise self._error.with_traceback(None)
        raise UnreachableError("still looking for a harness; ask again in a moment")

    async def use(self, wire: Wire, work: Callable[[Wire], Awaitable[T]]) -> T:
        """What `work` makes of a host. A failure of the connection ends it. Raises `HostError`."""
        try:
            result = await work(wire)
        except _BREAKING as error:
            if self._wire is wire:
                self._wire, self._error = None, error
                self._rests_until = self._clock()  # only a search tells that nobody is there
            raise
        self._answered_at = self._clock()
        return result

    def forget(self) -> None:
        """Search anew when asked next, as after a login."""
        self._wire = self._error = None

    async def aclose(self) -> None:
        """End what runs in the background."""
        running = {task for task in (self._search, self._check) if task is not None}
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.aclose()

    async def _check_soon(self, wire: Wire) -> None:
        """Ask a host that has not answered for a while; it is ours no more when it is gone."""
        if self._clock() - self._answered_at < FRESH_SECONDS:
            return
        if self._check is None:
            self._check = asyncio.create_task(self.use(wire, lambda it: it.check()))
            self._check.add_done_callback(self._checking_ended)
        check = self._check
        await asyncio.wait({check}, timeout=PATIENCE)
        if check.done() and not check.cancelled() and self._wire is wire:
            check.result()

    def _checking_ended(self, check: asyncio.Task[None]) -> None:
        self._check = None
        _look_at(check)

    def _searching(self) -> asyncio.Task[Wire]:
        if self._search is None:
            self._search = asyncio.create_task(self._find_and_note())
            self._search.add_done_callback(_look_at)
        return self._search

    async def _find_and_note(self) -> Wire:
        started = self._clock()
        try:
            self._wire = await self._find()
            self._error, self._answered_at = None, self._clock()
        except HostError as error:
            self._note(error, self._clock() - started)
            raise
        else:
            return self._wire
        finally:
            self._search = None

    def _note(self, error: HostError, took: float) -> None:
        self._error = error
        rest = min(max(_SHORTEST_REST, took * _REST_SHARE), _LONGEST_REST)
        self._rests_until = self._clock() + rest


_BREAKING = (UnreachableError, LostAnswerError, LoginNeededError, FenceError, NotAHostError)
"""Errors after which the host must be looked for again."""


def _look_at(search: asyncio.Task[Any]) -> None:
    """What nobody waits for any more may fail quietly; its error has been noted."""
    if not search.cancelled():
        search.exception()
