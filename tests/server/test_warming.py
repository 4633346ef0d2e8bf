"""Titles are read ahead, again whenever sessions change, with a progress that can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types

from dsh_lsp.server.progress import Progress
from dsh_lsp.server.warming import Warming

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Titles:
    """Reads one title whenever it is let to."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.folders: list[str | None] = []
        self.ended: list[str] = []
        self.go = asyncio.Semaphore(0)
        self._fault = fault

    async def warm(self, progress: Callable[[int, int], None], *, cwd: str | None = None) -> None:
        self.folders.append(cwd)
        try:
            progress(1, 4)
            await self.go.acquire()
            if self._fault is not None:
                raise self._fault
            self.ended.append("read")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise


class Shown:
    """What an editor was told, and the readings that it could cancel."""

    def __init__(self) -> None:
        self.steps: list[Any] = []
        self.readings: list[asyncio.Task[None]] = []

    def follow(self, reading: asyncio.Task[None]) -> Progress:
        self.readings.append(reading)
        return Progress("titles", "token", None, lambda step: self.steps.append(step.value))


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_titles_are_read_at_once_and_again_after_changes() -> None:
    titles, shown = Titles(), Shown()
    warming = Warming(titles.warm, lambda: "/w")
    task = asyncio.ensure_future(warming.run(shown.follow))
    await settled()
    assert titles.folders == ["/w"]
    assert isinstance(shown.steps[0], types.WorkDoneProgressBegin)
    assert (shown.steps[1].message, shown.steps[1].percentage) == ("1 of 4", 25)
    for _ in range(3):
        warming.again()  # a burst, while the first reading goes on, is one more reading
    titles.go.release()
    await settled()
    assert titles.folders == ["/w", "/w"]
    titles.go.release()
    await settled()
    assert titles.ended == ["read", "read"]
    assert isinstance(shown.steps[-1], types.WorkDoneProgressEnd)
    task.cancel()
    await asyncio.wait({task})
    assert titles.ended == ["read", "read"]


async def test_a_reading_that_is_cancelled_or_fails_ends_nothing_else() -> None:
    titles, shown = Titles(OSError("gone")), Shown()
    warming = Warming(titles.warm, lambda: None)
    task = asyncio.ensure_future(warming.run(shown.follow))
    await settled()
    shown.readings[0].cancel()
    await settled()
    assert titles.ended == ["cancelled"]
    warming.again()
    titles.go.release()
    await settled()
    warming.again()
    await settled()
    assert titles.folders == [None, None, None]
    task.cancel()
    await asyncio.wait({task})
    assert titles.ended == ["cancelled", "cancelled"]
