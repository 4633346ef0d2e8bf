"""Watching a store: what appeared, changed and vanished between two looks."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest

from dsh_lsp.sessions.polling import Polling
from dsh_lsp.sessions.query import Listing
from dsh_lsp.sessions.store import SessionStore
from dsh_lsp.sessions.watch import StoreChange, StoreWatch
from tests.support.log_script import Script
from tests.support.store_writer import write_log

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def put(root: Path, session_id: str, turns: int = 1) -> Path:
    script = Script(session_id, version=4)
    for turn in range(turns):
        script.exchange(f"q{turn}", "a")
    return write_log(root, script)


def change(appeared=(), changed=(), vanished=()) -> StoreChange:
    return StoreChange(frozenset(appeared), frozenset(changed), frozenset(vanished))


class Looked(SessionStore):
    """A store that counts how often it was looked at."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.looks = 0
        self._more = anyio.Event()

    async def refresh(self) -> Listing:
        return self._count(await super().refresh())

    async def glance(self) -> Listing:
        return self._count(await super().glance())

    def _count(self, listing: Listing) -> Listing:
        self.looks += 1
        self._more.set()
        self._more = anyio.Event()
        return listing

    async def looked(self, times: int) -> None:
        with anyio.fail_after(20):
            while self.looks < times:
                await self._more.wait()


async def told_after(watch: StoreWatch, store: Looked, act: Callable[[], object]) -> StoreChange:
    """The first change that is told of what happens once somebody watches."""
    found: list[StoreChange] = []
    changes = watch.changes()

    async def wait() -> None:
        with anyio.fail_after(20):
            found.append(await anext(changes))

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await store.looked(store.looks + 1)
        act()
    await changes.aclose()
    return found[0]


async def test_each_kind_of_change_is_told(tmp_path):
    put(tmp_path, "a")
    gone = put(tmp_path, "b")
    store = Looked(tmp_path)
    watch = StoreWatch(store, Polling(interval=0.01))
    told = await told_after(watch, store, lambda: put(tmp_path, "c"))
    assert told == change(appeared=["c"])
    told = await told_after(watch, store, lambda: put(tmp_path, "a", turns=2))
    assert told == change(changed=["a"])
    told = await told_after(watch, store, lambda: shutil.rmtree(gone.parent))
    assert told == change(vanished=["b"])


async def test_changes_between_two_looks_are_told_together(tmp_path):
    put(tmp_path, "a")
    store = Looked(tmp_path)
    changes = StoreWatch(store, Polling(interval=0.01)).changes()
    async with anyio.create_task_group() as group:
        group.start_soon(anext, changes)
        await store.looked(1)
        put(tmp_path, "b")
    put(tmp_path, "a", turns=2)
    put(tmp_path, "c")
    with anyio.fail_after(20):
        assert await anext(changes) == change(appeared=["c"], changed=["a"])
    await changes.aclose()


async def test_a_change_since_the_last_listing_is_told(tmp_path):
    put(tmp_path, "a")
    store = SessionStore(tmp_path)
    await store.list_sessions()
    put(tmp_path, "b")
    changes = StoreWatch(store, Polling(interval=0.01)).changes()
    with anyio.fail_after(20):
        assert await anext(changes) == change(appeared=["b"])
    await changes.aclose()


async def test_a_store_that_appears_later_is_seen(tmp_path):
    root = tmp_path / "sessions"
    store = Looked(root)
    told = await told_after(
        StoreWatch(store, Polling(interval=0.01)), store, lambda: put(root, "new")
    )
    assert told == change(appeared=["new"])


async def test_nobody_looks_while_nobody_listens(tmp_path):
    put(tmp_path, "a")
    store = Looked(tmp_path)
    changes = StoreWatch(store, Polling(interval=0.005)).changes()
    await anyio.sleep(0.05)
    assert store.looks == 0
    async with anyio.create_task_group() as group:
        group.start_soon(anext, changes)
        await store.looked(3)
        group.cancel_scope.cancel()
    seen = store.looks
    await anyio.sleep(0.05)
    assert store.looks == seen


class Clock:
    """Time that passes only when somebody sleeps or looks; nothing ever changes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, store: SessionStore) -> None:
        self.now = 0.0
        self.wholes: list[float] = []
        self.glances: list[float] = []
        monkeypatch.setattr("dsh_lsp.sessions.polling.time.monotonic", lambda: self.now)
        monkeypatch.setattr("dsh_lsp.sessions.polling.anyio.sleep", self._sleep)
        self._monkeypatch = monkeypatch
        self._store = store

    async def _sleep(self, seconds: float) -> None:
        self.now += seconds

    async def run(self, until: float, *, whole: float, glance: float) -> None:
        """Poll until a time, when looks take so many seconds."""
        listing = Listing(())

        async def look(times: list[float], seconds: float) -> Listing:
            times.append(self.now)
            self.now += seconds
            return listing

        set_to = partial(self._monkeypatch.setattr, self._store)
        set_to("refresh", lambda: look(self.wholes, whole))
        set_to("glance", lambda: look(self.glances, glance))
        async for _ in Polling().looks(self._store):
            if self.now >= until:
                break


async def test_a_small_store_is_looked_at_at_once(tmp_path, monkeypatch):
    clock = Clock(monkeypatch, SessionStore(tmp_path))
    await clock.run(10, whole=0.002, glance=0.0005)
    assert len(clock.wholes) == pytest.approx(20, abs=4)
    assert len(clock.glances) == pytest.approx(80, abs=8)


async def test_a_slow_store_is_looked_through_less_often_and_glanced_at_as_often(
    tmp_path, monkeypatch
):
    clock = Clock(monkeypatch, SessionStore(tmp_path))
    await clock.run(100, whole=0.5, glance=0.001)
    assert 15 <= len(clock.wholes) <= 21
    assert len(clock.glances) >= 800


async def test_a_very_slow_store_is_glanced_at_less_often_too(tmp_path, monkeypatch):
    clock = Clock(monkeypatch, SessionStore(tmp_path))
    await clock.run(1_000, whole=5, glance=0.05)
    assert 5 * len(clock.wholes) + 0.05 * len(clock.glances) <= 0.2 * clock.now
