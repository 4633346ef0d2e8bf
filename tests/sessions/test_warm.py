"""Reading all titles ahead: in which order, with what progress, and what is known meanwhile."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from dsh_lsp.sessions import known, names, store
from dsh_lsp.sessions.read_names import read_names
from dsh_lsp.sessions.store import SessionStore
from tests.support.log_script import Script, line
from tests.support.store_writer import frame, write_log

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """The folders of the logs whose names were read, in order."""
    folders: list[str] = []

    def counted(path, *rest):
        folders.append(Path(path).parent.name)
        return read_names(path, *rest)

    monkeypatch.setattr(names, "read_names", counted)
    return folders


def put(root: Path, session_id: str, created_at: int, cwd: str) -> None:
    script = Script(session_id, version=4, created_at=created_at, cwd=cwd)
    script.exchange("q", "a")
    script.title(f"Title of {session_id}")
    write_log(root, script)


async def test_those_of_the_workspace_come_first_and_the_newest_first(tmp_path, read, monkeypatch):
    monkeypatch.setattr(store, "_TURN", 0.0)
    for number in range(6):
        put(tmp_path, f"s{number}", number, "/here" if number % 2 else "/there")
    query = SessionStore(tmp_path)
    told: list[tuple[int, int]] = []
    await query.warm(lambda done, total: told.append((done, total)), cwd="/here")
    assert read == ["s5", "s3", "s1", "s4", "s2", "s0"]
    assert told[-1] == (6, 6)
    assert told == sorted(told)
    await query.warm(lambda done, total: told.append((done, total)))
    assert len(read) == 6


async def test_what_is_known_meanwhile_says_so(tmp_path):
    for number in range(4):
        put(tmp_path, f"s{number}", number, "/here")
    query = SessionStore(tmp_path)
    ids = tuple(f"s{number}" for number in range(4))
    assert await query.known_titles(ids) == await query.known_titles([*ids])
    assert not (await query.known_titles(ids)).complete
    await query.read_titles(["s1"])
    known = await query.known_titles([*ids])
    assert {key: title.title for key, title in known.titles.items()} == {"s1": "Title of s1"}
    assert not known.complete
    await query.warm(lambda _done, _total: None)
    assert (await query.known_titles([*ids])).complete


async def test_the_last_titles_count_as_soon_as_they_are_read(tmp_path, monkeypatch):
    """So a session that appears in a store that was read shows its title at once."""
    monkeypatch.setattr(known, "MANY", 2)
    monkeypatch.setattr(known, "RENEWAL", 1_000.0)
    for number in range(4):
        put(tmp_path, f"s{number}", number, "/here")
    query = SessionStore(tmp_path)
    with query.followed():
        ids = tuple(entry.header.id for entry in (await query.refresh()).sessions)
        assert not (await query.known_titles(ids)).titles
        await query.read_titles(["s0", "s1"])
        assert not (await query.known_titles(ids)).titles
        await query.read_titles(ids)
        before = await query.known_titles(ids)
        put(tmp_path, "s4", 4, "/here")
        ids = tuple(entry.header.id for entry in (await query.refresh()).sessions)
        assert not (await query.known_titles(ids)).complete
        await query.read_titles(["s4"])
        after = await query.known_titles(ids)
        assert after.complete
        assert after.titles.keys() - before.titles.keys() == {"s4"}
        assert all(after.titles[each] is title for each, title in before.titles.items())


async def test_a_log_without_readable_names_does_not_stay_unread(tmp_path, read):
    put(tmp_path, "good", 1, "/here")
    script = Script("bad", version=4)
    write_log(
        tmp_path, script, data=b"".join([frame(line(script.header)), frame(b"{}\n"), b"junk"])
    )
    query = SessionStore(tmp_path)
    await query.warm(lambda _done, _total: None)
    assert (await query.known_titles(("good", "bad"))).complete
    assert len(read) == 2


async def test_cancelled_warming_keeps_what_it_read(tmp_path, read, monkeypatch):
    monkeypatch.setattr(store, "_TURN", 0.0)
    for number in range(20):
        put(tmp_path, f"s{number:02}", number, "/here")
    query = SessionStore(tmp_path)
    async with anyio.create_task_group() as group:

        def enough(done: int, _total: int) -> None:
            if done >= 3:
                group.cancel_scope.cancel()

        group.start_soon(query.warm, enough)
    first = len(read)
    assert 3 <= first < 20
    await query.warm(lambda _done, _total: None)
    assert sorted(read) == [f"s{number:02}" for number in range(20)]
