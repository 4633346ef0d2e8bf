"""Watching a store by what the operating system tells, and what happens where it tells nothing."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from dsh_lsp.sessions import notified
from dsh_lsp.sessions.notices import NoNoticesError, Paths, notices
from dsh_lsp.sessions.notified import Notified
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


def put(root: Path, session_id: str, turns: int = 1, cwd: str = "/home/dev/proj") -> Path:
    script = Script(session_id, version=4, cwd=cwd)
    for turn in range(turns):
        script.exchange(f"q{turn}", "a")
    return write_log(root, script)


@asynccontextmanager
async def watching(store: SessionStore, looks: Notified | None = None):
    """The changes of a store, once the operating system tells them."""
    sending, receiving = anyio.create_memory_object_stream[StoreChange](100)

    async def follow() -> None:
        async for change in StoreWatch(store, looks).changes():
            await sending.send(change)

    async with anyio.create_task_group() as group, sending, receiving:
        group.start_soon(follow)
        await anyio.sleep(1.2)  # one tick
        yield receiving
        group.cancel_scope.cancel()


async def until(receiving, wanted: StoreChange) -> None:
    """Until the changes add up to what is wanted: a burst may come in two."""
    seen = StoreChange(frozenset(), frozenset(), frozenset())
    with anyio.fail_after(20):
        while seen != wanted:
            more = await receiving.receive()
            seen = StoreChange(
                (seen.appeared | more.appeared) - more.vanished,
                (seen.changed | more.changed) - wanted.appeared,
                seen.vanished | more.vanished,
            )


def change(appeared=(), changed=(), vanished=()) -> StoreChange:
    return StoreChange(frozenset(appeared), frozenset(changed), frozenset(vanished))


async def test_each_kind_of_change_is_told_and_listed(tmp_path):
    path = put(tmp_path, "a")
    gone = put(tmp_path, "b")
    store = SessionStore(tmp_path)
    async with watching(store) as changes:
        put(tmp_path, "c")
        await until(changes, change(appeared=["c"]))
        put(tmp_path, "d", cwd="/a/new/project")
        await until(changes, change(appeared=["d"]))
        put(tmp_path, "a", turns=3)
        await until(changes, change(changed=["a"]))
        shutil.rmtree(gone.parent)
        await until(changes, change(vanished=["b"]))
        path.parent.rename(path.parent.with_name("elsewhere"))
        await until(changes, change(changed=["a"]))
        listing = await store.list_sessions()
        assert {each.header.id for each in listing.sessions} == {"a", "c", "d"}
        assert [fault.reason for fault in listing.faults] == ["misplaced"]
        fresh = await SessionStore(tmp_path).list_sessions()
        assert set(fresh.sessions) == set(listing.sessions)
        assert fresh.faults == listing.faults


async def test_only_the_places_that_changed_are_looked_at(tmp_path, monkeypatch):
    for number in range(5):
        put(tmp_path, f"s{number}")
    store = SessionStore(tmp_path)
    looks: list[set[tuple[str, str]]] = []
    real = store.update

    async def update(places):
        looks.append(set(places))
        return await real(places)

    monkeypatch.setattr(store, "update", update)
    async with watching(store) as changes:
        put(tmp_path, "s3", turns=2)
        await until(changes, change(changed=["s3"]))
    assert set().union(*looks) == {("--home-dev-proj--", "s3")}


async def test_a_store_that_appears_vanishes_and_appears_again_is_followed(tmp_path):
    root = tmp_path / "home" / "sessions"
    store = SessionStore(root)
    async with watching(store) as changes:
        put(root, "a")
        await until(changes, change(appeared=["a"]))
        await anyio.sleep(1.2)
        shutil.rmtree(tmp_path / "home")
        await until(changes, change(vanished=["a"]))
        put(root, "b")
        await until(changes, change(appeared=["b"]))


async def test_while_followed_a_listing_costs_no_look(tmp_path, monkeypatch):
    monkeypatch.setattr("dsh_lsp.sessions.known.MANY", 1)
    put(tmp_path, "a")
    store = SessionStore(tmp_path)
    async with watching(store):
        listing = await store.list_sessions()
        assert await store.list_sessions() is listing
        ids = ("a",)
        titles = await store.read_titles(ids)
        assert await store.read_titles(ids) is titles


async def test_no_thread_is_left_behind(tmp_path):
    put(tmp_path, "a")
    async with watching(SessionStore(tmp_path)):
        assert "dsh-lsp watching" in {thread.name for thread in threading.enumerate()}
    assert "dsh-lsp watching" not in {thread.name for thread in threading.enumerate()}


async def test_where_nothing_is_told_the_store_is_polled(tmp_path, monkeypatch):
    async def none(folder: Path) -> AsyncGenerator[Paths, None]:
        for _ in range(0):
            yield frozenset()
        raise NoNoticesError("a limit was reached")

    monkeypatch.setattr(notified, "notices", none)
    store = SessionStore(tmp_path)
    async with watching(store, Notified(Polling(interval=0.01))) as changes:
        put(tmp_path, "a")
        await until(changes, change(appeared=["a"]))


async def test_a_service_that_refuses_gives_no_notices(tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise OSError(28, "the limit of watches was reached")

    monkeypatch.setattr("watchfiles.watch", refuse)
    with pytest.raises(NoNoticesError):
        await anext(notices(tmp_path))


async def test_what_nobody_told_is_seen_by_the_look_without_notice(tmp_path, monkeypatch):
    """As on a network drive that another machine writes to."""

    async def ticks(folder: Path) -> AsyncGenerator[Paths, None]:
        while True:
            yield frozenset()
            await anyio.sleep(0.01)

    monkeypatch.setattr(notified, "notices", ticks)
    monkeypatch.setattr(notified, "SAFETY_PAUSE", 0.05)
    async with watching(SessionStore(tmp_path)) as changes:
        put(tmp_path, "a")
        await until(changes, change(appeared=["a"]))


class Refreshed(SessionStore):
    """Tells at which ticks it was looked through."""

    tick = 0

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.ticks: list[int] = []

    async def refresh(self) -> Listing:
        self.ticks.append(self.tick)
        return await super().refresh()


async def looked_through(root: Path, monkeypatch: pytest.MonkeyPatch, *told: bool) -> list[int]:
    """The ticks, a second each, at which a store is looked through when these bring news."""
    store = Refreshed(root)

    async def news(folder: Path) -> AsyncGenerator[Paths, None]:
        for store.tick, some in enumerate(told, 1):
            yield frozenset([str(root / "p" / "s")] if some else ())
        await anyio.sleep_forever()

    monkeypatch.setattr(notified, "notices", news)
    monkeypatch.setattr("dsh_lsp.sessions.notified.time.monotonic", lambda: float(store.tick))
    async for _ in Notified().looks(store):
        if store.tick == len(told):
            break
    return store.ticks


async def test_a_look_without_notice_waits_for_a_quiet_moment_but_not_for_ever(
    tmp_path, monkeypatch
):
    put(tmp_path, "a")
    silent = await looked_through(tmp_path, monkeypatch, *[False] * 70)
    assert silent == [0, 1, 31, 61]
    told = [*[True] * 40, *[False] * 10]
    assert await looked_through(tmp_path, monkeypatch, *told) == [0, 1, 45]
    assert await looked_through(tmp_path, monkeypatch, *[True] * 340) == [0, 1, 331]


async def test_a_tick_that_tells_nothing_brings_a_glance(tmp_path, monkeypatch):
    told = anyio.Event()

    async def ticks(folder: Path) -> AsyncGenerator[Paths, None]:
        yield frozenset()  # brings the first look without notice
        await told.wait()
        yield frozenset()
        await anyio.sleep_forever()

    monkeypatch.setattr(notified, "notices", ticks)
    async with watching(SessionStore(tmp_path)) as changes:
        put(tmp_path, "a")
        told.set()
        await until(changes, change(appeared=["a"]))


async def test_an_unreadable_project_does_not_end_the_watch(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    put(tmp_path, "a")
    closed = put(tmp_path, "b", cwd="/closed").parents[1]
    closed.chmod(0)
    try:
        async with watching(SessionStore(tmp_path)) as changes:
            put(tmp_path, "c")
            await until(changes, change(appeared=["c"]))
    finally:
        closed.chmod(0o700)
