"""Watching a store: what appeared, changed and vanished between two looks."""

from __future__ import annotations

import shutil
from collections.abc import Callable
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
    """A store that counts how often it was looked through."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.looks = 0
        self._more = anyio.Event()

    async def refresh(self) -> Listing:
        listing = await super().refresh()
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


async def test_a_slow_store_is_looked_at_less_often(tmp_path, monkeypatch):
    put(tmp_path, "a")
    store = SessionStore(tmp_path)
    pauses: list[float] = []
    real_sleep, real_refresh = anyio.sleep, store.refresh

    async def slow():
        await real_sleep(0.02)
        return await real_refresh()

    async def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) > 2:
            raise StopAsyncIteration
        await real_sleep(0)

    monkeypatch.setattr(store, "refresh", slow)
    monkeypatch.setattr("dsh_lsp.sessions.polling.anyio.sleep", sleep)
    with pytest.raises((RuntimeError, StopAsyncIteration)):
        await anext(StoreWatch(store, Polling(interval=0.01)).changes())
    assert pauses[0] == 0.01
    assert min(pauses[1:]) >= 0.2
