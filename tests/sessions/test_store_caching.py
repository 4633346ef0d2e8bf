"""What is read once is not read again until its file changes; and what is stuck is left behind."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

import anyio
import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.event_types import KIND
from dsh_lsp.sessions import inventory, names
from dsh_lsp.sessions.cache import RevisionCache
from dsh_lsp.sessions.inventory import Inventory
from dsh_lsp.sessions.logfile import StoppedError, read_header
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.read_names import read_names
from dsh_lsp.sessions.read_surface import read_surface
from dsh_lsp.sessions.store import CONTEXT_LOGS, SessionStore
from tests.support.log_script import Script, line
from tests.support.store_writer import frame, write_log


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def opened(monkeypatch) -> list[str]:
    """The paths of the logs that were opened, in order."""
    paths: list[str] = []
    real = os.open

    def open_file(path, *rest):
        if str(path).endswith((".jsonl", ".zstd")):
            paths.append(str(path))
        return real(path, *rest)

    monkeypatch.setattr(os, "open", open_file)
    return paths


def age(root: Path) -> None:
    """Make folders look settled, so that their times are relied upon."""
    for folder, _, _ in os.walk(root):
        os.utime(folder, (1_000_000, 1_000_000))


def session(session_id: str, title: str = "T", version: int = 4, created_at: int = 1) -> Script:
    script = Script(session_id, version=version, created_at=created_at)
    script.exchange("q", "a")
    script.title(title)
    return script


def append(path: Path, script: Script, title: str) -> None:
    """Add a new title to a stored log, as a harness would."""
    seen = len(script.events)
    script.batch()
    script.title(title)
    with path.open("ab") as file:
        file.write(frame(b"".join(map(line, script.events[seen:]))))


@pytest.mark.anyio
async def test_a_log_that_grows_between_being_found_and_opened_gets_its_title(
    tmp_path, monkeypatch
):
    script = session("s")
    path = write_log(tmp_path, script)

    def read_late(*log):
        append(path, script, "New")
        return read_header(*log)

    monkeypatch.setattr(inventory, "read_header", read_late)
    query = SessionStore(tmp_path)
    await query.refresh()
    monkeypatch.undo()
    await query.refresh()
    assert await query.read_titles(("s",)) == {"s": SessionTitle("New")}
    assert (await query.known_titles(("s",))).complete


@pytest.mark.anyio
async def test_headers_are_read_once(tmp_path, opened):
    for number in range(5):
        write_log(tmp_path, session(f"s{number}"))
    query = SessionStore(tmp_path)
    first = await query.refresh()
    assert len(opened) == 5
    second = await query.refresh()
    assert len(opened) == 5
    assert all(a is b for a, b in zip(first.sessions, second.sessions, strict=True))


@pytest.mark.anyio
async def test_a_damaged_log_is_looked_at_once(tmp_path, opened):
    write_log(tmp_path, session("s"), data=b"garbage!")
    query = SessionStore(tmp_path)
    faults = [(await query.refresh()).faults for _ in range(3)]
    assert len(opened) == 1
    assert faults[0] == faults[2] != ()


@pytest.mark.anyio
async def test_only_a_changed_log_is_looked_at_again(tmp_path, opened):
    script = session("s1")
    paths = [write_log(tmp_path, session("s0")), write_log(tmp_path, script)]
    query = SessionStore(tmp_path)
    before = (await query.refresh()).sessions
    append(paths[1], script, "New")
    opened.clear()
    after = (await query.refresh()).sessions
    assert opened == [str(paths[1])]
    assert [a.revision == b.revision for a, b in zip(before, after, strict=True)] == [True, False]


def test_a_listing_is_given_out_again_until_a_folder_changes(tmp_path):
    write_log(tmp_path, session("s"))
    age(tmp_path)
    inventory = Inventory(tmp_path)
    first = inventory.listing()
    assert inventory.listing() is first
    write_log(tmp_path, session("new"))
    assert len(inventory.listing().sessions) == 2


def test_a_log_that_appears_in_a_folder_that_was_seen_empty_is_found_at_once(tmp_path):
    write_log(tmp_path, session("s"))
    folder = write_log(tmp_path, session("new")).parent
    shutil.rmtree(folder)
    folder.mkdir()
    age(tmp_path)
    inventory = Inventory(tmp_path)
    first = inventory.listing()
    write_log(tmp_path, session("new"))
    assert inventory.listing() is first
    assert inventory.find("new").folder == "new"


def test_a_young_listing_is_not_relied_upon(tmp_path):
    """A second change within one step of the file system's clock would go unseen."""
    path = write_log(tmp_path, session("s"))
    inventory = Inventory(tmp_path)
    first = inventory.listing()
    os.utime(path, (2_000_000, 2_000_000))
    assert inventory.listing().sessions[0].revision != first.sessions[0].revision


def test_a_store_without_a_change_keeps_its_listing(tmp_path):
    write_log(tmp_path, session("s"))
    inventory = Inventory(tmp_path)
    first = inventory.refresh()
    logs = inventory.logs()
    assert inventory.refresh() is first
    assert inventory.logs() is logs


def test_a_listing_grows_old(tmp_path, monkeypatch):
    path = write_log(tmp_path, session("s"))
    age(tmp_path)
    inventory = Inventory(tmp_path)
    first = inventory.listing()
    os.utime(path, (2_000_000, 2_000_000))
    assert inventory.listing() is first
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 1.1)
    assert inventory.listing().sessions[0].revision != first.sessions[0].revision


@pytest.mark.anyio
async def test_titles_are_read_once_for_each_revision(tmp_path, opened):
    script = session("s", "Old")
    path = write_log(tmp_path, script)
    query = SessionStore(tmp_path)
    assert (await query.read_titles(["s"]))["s"] == SessionTitle("Old")
    opened.clear()
    again = await query.read_titles(["s", "s"])
    assert opened == []
    assert again["s"] is (await query.read_titles(["s"]))["s"]
    append(path, script, "New")
    await query.refresh()
    assert (await query.read_titles(["s"]))["s"] == SessionTitle("New")


@pytest.mark.anyio
async def test_surfaces_are_read_once_for_each_revision(tmp_path, opened):
    script = session("s", "Old")
    path = write_log(tmp_path, script)
    query = SessionStore(tmp_path)
    first = await query.read_surface("s")
    opened.clear()
    assert await query.read_surface("s") is first
    assert opened == []
    append(path, script, "New")
    assert (await query.read_surface("s")).title == "New"


@pytest.mark.anyio
async def test_a_lasting_fault_is_found_once(tmp_path, opened):
    write_log(tmp_path, session("s", version=2))
    query = SessionStore(tmp_path)
    for _ in range(3):
        with pytest.raises(ReadFailedError) as caught:
            await query.read_surface("s")
        assert caught.value.reason is ReadFault.OLD_FORMAT
    assert len(opened) == 2  # its header and its log


@pytest.mark.anyio
async def test_a_known_session_is_found_again_wherever_it_went(tmp_path):
    path = write_log(tmp_path, session("s"))
    query = SessionStore(tmp_path)
    await query.read_surface("s")
    path.parent.rename(path.parent.with_name("moved"))
    assert (await query.read_surface("s")).title == "T"
    write_log(tmp_path, session("other"))
    assert (await query.read_surface("other")).header.id == "other"


@pytest.mark.anyio
async def test_a_migrated_session_is_read_from_its_new_log(tmp_path):
    write_log(tmp_path, session("s", "Old", version=3))
    query = SessionStore(tmp_path)
    assert (await query.read_surface("s")).title == "Old"
    write_log(tmp_path, session("s", "New", version=4))
    assert (await query.read_surface("s")).title == "New"


@pytest.mark.anyio
async def test_the_newest_context_window_of_the_store(tmp_path):
    for number, window in enumerate([500, 400, None]):
        script = session(f"s{number}", created_at=number)
        if window:
            script.context(window)
        write_log(tmp_path, script)
    write_log(tmp_path, session("bad", created_at=9), data=frame(b"{}\n"))
    write_log(tmp_path, session("old", version=2, created_at=8))
    assert await SessionStore(tmp_path).latest_context_window() == 400


@pytest.mark.anyio
async def test_no_session_tells_a_context_window(tmp_path, opened):
    for number in range(CONTEXT_LOGS + 5):
        write_log(tmp_path, session(f"s{number}", created_at=number))
    query = SessionStore(tmp_path)
    await query.list_sessions()
    opened.clear()
    assert await query.latest_context_window() is None
    assert len(opened) == CONTEXT_LOGS


@pytest.mark.anyio
async def test_titles_are_read_one_after_another(tmp_path, monkeypatch):
    for number in range(12):
        write_log(tmp_path, session(f"s{number}"))
    running, most = 0, 0
    lock = threading.Lock()
    real = read_names

    def counted(*arguments):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.005)
        with lock:
            running -= 1
        return real(*arguments)

    monkeypatch.setattr(names, "read_names", counted)
    found = await SessionStore(tmp_path).read_titles([f"s{number}" for number in range(12)])
    assert len(found) == 12
    assert most == 1


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("call", "arguments"),
    [("list_sessions", []), ("read_titles", [["s"]]), ("read_surface", ["s"])],
)
async def test_a_stuck_read_is_left_behind(tmp_path, monkeypatch, call, arguments):
    write_log(tmp_path, session("s"))
    query = SessionStore(tmp_path)
    if call != "list_sessions":
        await query.refresh()
    stuck, release = threading.Event(), threading.Event()
    real = os.open

    def open_file(*where):
        stuck.set()
        release.wait(10)
        return real(*where)

    monkeypatch.setattr(os, "open", open_file)
    try:
        with anyio.move_on_after(5) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(getattr(query, call), *arguments)
                await anyio.to_thread.run_sync(stuck.wait, 5)
                start = time.monotonic()
                group.cancel_scope.cancel()
        assert not scope.cancelled_caught
        assert time.monotonic() - start < 1  # of the ten seconds that the read would take
    finally:
        release.set()


def test_a_read_that_nobody_waits_for_ends_early(tmp_path):
    script = session("s")
    for number in range(400):
        script.exchange(f"question {number}", os.urandom(1_000).hex())
    path = write_log(tmp_path, script)
    stop = threading.Event()
    stop.set()
    with pytest.raises(StoppedError):
        read_surface(str(path), Inventory(tmp_path).logs()["s"].name, KIND, stop)


def test_the_least_recently_used_goes_first():
    cache: RevisionCache[str] = RevisionCache(3)
    for key in "abc":
        cache.put(key, "1", key.upper())
    assert cache.get("a", "1") == "A"
    cache.put("d", "1", "D")
    assert [cache.get(key, "1") for key in "abcd"] == ["A", None, "C", "D"]


def test_a_value_counts_for_its_revision_only_and_the_newest_stays_however_big():
    cache: RevisionCache[str] = RevisionCache(10)
    cache.put("a", "1", "A", 4)
    assert cache.get("a", "2") is None
    cache.put("a", "2", "AA", 6)
    assert (cache.get("a", "1"), cache.get("a", "2")) == (None, "AA")
    cache.put("b", "1", "B", 4)
    assert cache.get("a", "2") == "AA"
    cache.put("big", "1", "BIG", 100)
    assert [cache.get("a", "2"), cache.get("b", "1"), cache.get("big", "1")] == [None, None, "BIG"]
    cache.put("c", "1", "C", 1)
    assert (cache.get("big", "1"), cache.get("c", "1")) == (None, "C")
