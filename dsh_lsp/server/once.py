"""Two equal wishes within a moment are one: a double click sends once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

MOMENT_SECONDS = 2.0

T = TypeVar("T")


@dataclass(slots=True)
class _Wish(Generic[T]):
    task: asyncio.Task[T]
    keys: set[Hashable] = field(default_factory=set)
    waiting: int = 0
    committed: bool = False


class Once(Generic[T]):
    """Runs each wish once, and gives its result to everyone who asks for it meanwhile.

    A wish is cancelled with its last waiter, unless it has committed itself. `keep` says whether
    its result also answers those who ask within the moment after it.
    """

    def __init__(self, keep: Callable[[T], bool]) -> None:
        self._keep = keep
        self._wishes: dict[Hashable, _Wish[T]] = {}

    @property
    def running(self) -> int:
        """How many wishes have not ended yet."""
        running = {id(wish) for wish in self._wishes.values() if not wish.task.done()}
        return len(running)

    async def run(self, key: Hashable, start: Callable[[Callable[[], None]], Awaitable[T]]) -> T:
        """The result of `start`, which is given the function that commits it."""
        wish = self._wishes.get(key)
        if wish is None:
            wish = self._begin(key, start)
        wish.waiting += 1
        try:
            return await asyncio.shield(wish.task)
        finally:
            wish.waiting -= 1
            if not wish.waiting and not wish.committed:
                wish.task.cancel()

    def also(self, key: Hashable, other: Hashable) -> None:
        """Let a wish that runs answer to another key too."""
        wish = self._wishes[key]
        wish.keys.add(other)
        self._wishes[other] = wish

    def _begin(
        self, key: Hashable, start: Callable[[Callable[[], None]], Awaitable[T]]
    ) -> _Wish[T]:
        def commit() -> None:
            wish.committed = True

        async def run() -> T:
            return await start(commit)

        wish = _Wish(asyncio.ensure_future(run()), {key})
        self._wishes[key] = wish
        wish.task.add_done_callback(lambda _: self._ended(wish))
        return wish

    def _ended(self, wish: _Wish[T]) -> None:
        task = wish.task
        if task.cancelled() or task.exception() or not self._keep(task.result()):
            self._forget(wish)
        else:
            task.get_loop().call_later(MOMENT_SECONDS, self._forget, wish)

    def _forget(self, wish: _Wish[T]) -> None:
        for key in wish.keys:
            if self._wishes.get(key) is wish:
                del self._wishes[key]
