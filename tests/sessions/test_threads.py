"""Threads that are left behind: asked to stop, and never more than so many."""

from __future__ import annotations

import threading

import anyio
import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.threads import in_thread

pytestmark = pytest.mark.anyio


async def left_behind(work) -> None:
    """Begin a read, and go away when it runs."""
    begun = threading.Event()

    def run(stop: Stop) -> None:
        begun.set()
        work(stop)

    async with anyio.create_task_group() as group:
        group.start_soon(in_thread, run)
        while not begun.is_set():  # noqa: ASYNC110 - it is set in another thread
            await anyio.sleep(0.001)
        group.cancel_scope.cancel()


async def test_a_read_that_nobody_waits_for_is_asked_to_stop() -> None:
    seen: list[Stop] = []
    await left_behind(seen.append)
    with anyio.fail_after(5):
        while not seen[0].is_set():  # noqa: ASYNC110
            await anyio.sleep(0.001)


async def test_a_disk_that_hangs_takes_so_many_threads_and_no_more(monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.sessions.threads.MOST", 3)
    answers = threading.Event()
    for _ in range(3):
        await left_behind(lambda _: answers.wait(10))
    for _ in range(2):
        with pytest.raises(ReadFailedError, match="does not answer") as refused:
            await in_thread(lambda _: None)
        assert refused.value.reason is ReadFault.UNREADABLE
    answers.set()
    with anyio.fail_after(5):
        while True:
            try:
                assert await in_thread(lambda _: 7) == 7
            except ReadFailedError:
                await anyio.sleep(0.001)
            else:
                break


async def test_reads_that_end_or_fail_or_never_begin_give_their_turn_back(monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.sessions.threads.MOST", 2)

    def fail(_: Stop) -> None:
        raise OSError("no such disk")

    for _ in range(5):
        assert await in_thread(lambda _: 7) == 7
        with pytest.raises(OSError, match="no such disk"):
            await in_thread(fail)
        with anyio.CancelScope() as scope:
            scope.cancel()
            await in_thread(lambda _: None)
    assert await in_thread(lambda _: 7) == 7
