"""Work that is asked for at any moment sees what changed last, and is done one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from dsh_lsp.server.errand import Errand


class Work:
    """Counts how often it begins and ends; it ends when it is let go."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0
        self.gate = asyncio.Event()

    async def do(self) -> None:
        self.begun += 1
        await self.gate.wait()
        self.ended += 1


def run(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 10))


async def turns() -> None:
    """Everything that is ready to run has run."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_what_is_asked_for_meanwhile_is_done_once_more() -> None:
    async def story() -> None:
        work = Work()
        errand = Errand(work.do)
        errand.ensure(0)
        await turns()
        for _ in range(3):
            errand.ensure(0)
        await turns()
        assert (work.begun, work.ended) == (1, 0)
        work.gate.set()
        await turns()
        assert (work.begun, work.ended) == (2, 2)

    run(story)


def test_a_pause_is_not_begun_anew_by_a_demand() -> None:
    async def story() -> None:
        work = Work()
        work.gate.set()
        errand = Errand(work.do)
        while not work.ended:
            errand.ensure(0.01)
            await asyncio.sleep(0.001)
        assert work.begun == 1

    run(story)


def test_a_restart_ends_what_is_under_way() -> None:
    async def story() -> None:
        work = Work()
        errand = Errand(work.do)
        errand.ensure(0)
        await turns()
        errand.restart(0)
        await turns()
        work.gate.set()
        await turns()
        assert (work.begun, work.ended) == (2, 1)

    run(story)


def test_a_failure_ends_nothing_but_itself() -> None:
    async def story() -> None:
        begun: list[str] = []

        async def fail() -> None:
            begun.append("work")
            if len(begun) == 1:
                errand.ensure(0)
            raise ValueError

        errand = Errand(fail)
        errand.ensure(0)
        await turns()
        assert len(begun) == 2
        errand.ensure(0)
        await turns()
        assert len(begun) == 3

    run(story)


def test_after_a_cancellation_nothing_is_done() -> None:
    async def story() -> None:
        work = Work()
        errand = Errand(work.do)
        errand.cancel()
        errand.ensure(0)
        errand.cancel()
        await turns()
        assert work.begun == 0

    run(story)
