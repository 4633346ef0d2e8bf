"""Work that several want at the same time is done once, for as long as anybody wants it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import anyio
import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions import surfaces
from dsh_lsp.sessions.flights import Flights
from dsh_lsp.sessions.logfile import StoppedError
from dsh_lsp.sessions.read_surface import read_surface
from dsh_lsp.sessions.store import SessionStore
from tests.support.log_script import Script
from tests.support.store_writer import write_log

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Work:
    """Waits until it is told to go on, or to stop."""

    def __init__(self) -> None:
        self.calls = 0
        self.go = threading.Event()
        self.stopped = threading.Event()

    def __call__(self, stop) -> int:
        self.calls += 1
        while not self.go.wait(0.005):
            if stop.is_set():
                self.stopped.set()
                raise StoppedError
        return self.calls


async def test_two_who_want_the_same_wait_for_one():
    flights: Flights[int] = Flights()
    work = Work()
    found: list[int] = []

    async def want() -> None:
        found.append(await flights.join("key", work))

    async with anyio.create_task_group() as group:
        group.start_soon(want)
        group.start_soon(want)
        await anyio.sleep(0.02)
        work.go.set()
    assert found == [1, 1]
    assert await flights.join("key", work) == 2


async def test_one_who_goes_leaves_the_work_to_the_other():
    flights: Flights[int] = Flights()
    work = Work()
    found: list[int] = []

    async def want() -> None:
        found.append(await flights.join("key", work))

    async with anyio.create_task_group() as group:
        group.start_soon(want)
        await anyio.sleep(0.01)
        with anyio.move_on_after(0.01):
            await flights.join("key", work)
        assert not work.stopped.is_set()
        work.go.set()
    assert found == [1]


async def test_work_that_nobody_wants_any_more_is_stopped_and_begun_anew():
    flights: Flights[int] = Flights()
    work = Work()
    with anyio.move_on_after(0.01):
        await flights.join("key", work)
    assert await anyio.to_thread.run_sync(work.stopped.wait, 10)
    work.go.set()
    assert await flights.join("key", work) == 2


async def test_all_are_told_of_a_fault():
    flights: Flights[int] = Flights()
    go = threading.Event()

    def fail(_stop) -> int:
        go.wait(10)
        raise ReadFailedError("broken", ReadFault.CORRUPT)

    told: list[str] = []

    async def want() -> None:
        try:
            await flights.join("key", fail)
        except ReadFailedError as error:
            told.append(error.message)

    async with anyio.create_task_group() as group:
        group.start_soon(want)
        group.start_soon(want)
        await anyio.sleep(0.01)
        go.set()
    assert told == ["broken", "broken"]


async def test_two_first_reads_of_a_log_read_it_once(tmp_path: Path, monkeypatch):
    script = Script("s", version=4)
    script.exchange("q", "a")
    write_log(tmp_path, script)
    reads: list[str] = []

    def slowly(path, *rest):
        reads.append(path)
        time.sleep(0.05)
        return read_surface(path, *rest)

    monkeypatch.setattr(surfaces, "read_surface", slowly)
    store = SessionStore(tmp_path)
    found = []

    async def read() -> None:
        found.append(await store.read_surface("s"))

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(read)
    assert len(reads) == 1
    assert found[0] is found[1] is found[2]
