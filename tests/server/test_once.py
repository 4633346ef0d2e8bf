"""Equal wishes within a moment are one, and only an uncommitted one can be taken back."""

from __future__ import annotations

import asyncio

import pytest

from dsh_lsp.server import once
from dsh_lsp.server.once import Once


class Work:
    """Counts its runs, and ends when it is told to."""

    def __init__(self, *, commits: bool = False) -> None:
        self.runs = 0
        self.ended = 0
        self.may_end = asyncio.Event()
        self._commits = commits

    async def __call__(self, commit) -> int:
        self.runs += 1
        if self._commits:
            commit()
        await self.may_end.wait()
        self.ended += 1
        return self.runs


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_two_at_a_time_are_one() -> None:
    async def main() -> None:
        sends: Once[int] = Once(lambda _: False)
        work = Work()
        both = [asyncio.ensure_future(sends.run("k", work)) for _ in range(2)]
        await settle()
        assert sends.running == 1
        work.may_end.set()
        assert await asyncio.gather(*both) == [1, 1]
        assert sends.running == 0
        assert await sends.run("k", work) == 2  # nothing was kept

    asyncio.run(main())


def test_what_is_kept_answers_the_next_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "MOMENT_SECONDS", 0.05)

    async def main() -> None:
        sends: Once[int] = Once(lambda _: True)
        work = Work()
        work.may_end.set()
        assert await sends.run("k", work) == 1
        assert await sends.run("k", work) == 1
        assert await sends.run("other", work) == 2
        await asyncio.sleep(0.1)
        assert await sends.run("k", work) == 3

    asyncio.run(main())


@pytest.mark.parametrize("commits", [False, True])
def test_only_a_committed_wish_outlives_its_last_waiter(commits: bool) -> None:
    async def main() -> None:
        sends: Once[int] = Once(lambda _: False)
        work = Work(commits=commits)
        one, two = (asyncio.ensure_future(sends.run("k", work)) for _ in range(2))
        await settle()
        one.cancel()
        await settle()
        assert sends.running == 1  # somebody still waits
        two.cancel()
        await settle()
        work.may_end.set()
        await settle()
        assert work.ended == (1 if commits else 0)

    asyncio.run(main())


def test_a_failure_is_everyones_and_not_kept() -> None:
    async def main() -> None:
        sends: Once[int] = Once(lambda _: True)

        async def fail(_: object) -> int:
            raise OSError("gone")

        both = [asyncio.ensure_future(sends.run("k", fail)) for _ in range(2)]
        results = await asyncio.gather(*both, return_exceptions=True)
        assert all(isinstance(each, OSError) for each in results)
        assert sends.running == 0

    asyncio.run(main())


def test_a_wish_that_learns_its_target_answers_for_it_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(once, "MOMENT_SECONDS", 0.05)

    async def main() -> None:
        sends: Once[int] = Once(lambda _: True)
        work = Work()
        first = asyncio.ensure_future(sends.run("new", work))
        await settle()
        sends.also("new", "made")
        second = asyncio.ensure_future(sends.run("made", work))
        await settle()
        assert sends.running == 1
        work.may_end.set()
        assert (await first, await second) == (1, 1)
        assert await sends.run("made", work) == 1
        await asyncio.sleep(0.1)
        assert await sends.run("made", work) == 2

    asyncio.run(main())
