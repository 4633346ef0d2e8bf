"""The index on disk: what it keeps, who may read it, and that nothing wrong with it matters."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from pathlib import Path

import anyio
import pytest

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.javascript import compact_bytes
from dsh_lsp.sessions import index as index_module
from dsh_lsp.sessions.index import DiskIndex, Kind, NoIndex, Row
from dsh_lsp.sessions.store import SessionStore
from tests.support.log_script import Script
from tests.support.store_writer import tree, write_log

SECRET = "a sentence that only the conversation holds"
HEADERS = frozenset({Kind.HEADER})


def file_of(folder: Path) -> Path:
    (found,) = folder.glob("index-*.sqlite3")
    return found


def keep(folder: Path, *rows: tuple[Kind, str, str], store: str = "/store", kinds=frozenset(Kind)):
    index = DiskIndex(folder, Path(store), kinds)
    for kind, path, value in rows:
        index.put(kind, path, "r1", value.encode)
    index.close()


def kept(folder: Path, kind: Kind = Kind.HEADER, store: str = "/store") -> list[Row]:
    index = DiskIndex(folder, Path(store))
    try:
        return index.rows(kind)
    finally:
        index.close()


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("index-*"))


def test_what_is_put_is_there_for_the_next_process(tmp_path):
    keep(tmp_path, (Kind.HEADER, "/store/a", "A"), (Kind.NAMES, "/store/a", "B"))
    assert kept(tmp_path) == [Row("/store/a", "r1", b"A")]
    index = DiskIndex(tmp_path, Path("/store"))
    assert index.row(Kind.NAMES, "/store/a") == Row("/store/a", "r1", b"B")
    assert index.row(Kind.SURFACE, "/store/a") is None
    index.forget(["/store/a"])
    index.close()
    assert kept(tmp_path) == kept(tmp_path, Kind.NAMES) == []


def test_stores_and_paths_of_any_name_are_kept_apart(tmp_path):
    odd = os.fsdecode(b"/other/\xff\xfe")
    keep(tmp_path, (Kind.HEADER, odd, "A"), store="/other")
    keep(tmp_path, (Kind.HEADER, "/store/b", "B"))
    assert kept(tmp_path, store="/other") == [Row(odd, "r1", b"A")]
    assert [row.path for row in kept(tmp_path)] == ["/store/b"]


@pytest.mark.skipif(os.name != "posix", reason="rights of other systems are set otherwise")
def test_only_the_user_may_read_it(tmp_path):
    folder = tmp_path / "cache"
    index = DiskIndex(folder, Path("/store"))
    index.rows(Kind.HEADER)
    for path in [folder, *folder.iterdir()]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    index.close()


def test_nothing_is_opened_before_it_is_needed(tmp_path):
    DiskIndex(tmp_path, Path("/store")).close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "damage",
    [
        b"this is no database at all" * 100,
        b"SQLite format 3\0" + b"\xff" * 4096,
        None,
        "CREATE TABLE kept (something TEXT)",
    ],
)
def test_a_damaged_file_is_made_anew(tmp_path, damage):
    keep(tmp_path, (Kind.HEADER, "/store/a", "A"))
    path = file_of(tmp_path)
    if damage is None:
        whole = path.read_bytes()
        path.write_bytes(whole[:5000] + b"\xaa" * (len(whole) - 5000))
    elif isinstance(damage, bytes):
        path.write_bytes(damage)
    else:
        path.unlink()
        connection = sqlite3.connect(path)
        connection.execute(damage)
        connection.close()
    kept(tmp_path)
    keep(tmp_path, (Kind.HEADER, "/store/b", "B"))
    keep(tmp_path, (Kind.HEADER, "/store/c", "C"))
    assert Row("/store/c", "r1", b"C") in kept(tmp_path)


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path):
    (tmp_path / "file").write_text("in the way")
    keep(tmp_path / "file" / "cache", (Kind.HEADER, "/store/a", "A"))
    assert kept(tmp_path / "file" / "cache") == []


def test_a_locked_file_holds_nobody_up(tmp_path):
    keep(tmp_path, (Kind.HEADER, "/store/a", "A"))
    holder = sqlite3.connect(file_of(tmp_path), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    keep(tmp_path, (Kind.HEADER, "/store/b", "B"))
    assert [row.value for row in kept(tmp_path)] == [b"A"]  # others write beside readers
    holder.execute("ROLLBACK")
    holder.close()


def test_several_servers_write_at_once(tmp_path):
    def serve(number: int) -> None:
        rows = [(Kind.HEADER, f"/store/{number}-{each}", "x") for each in range(20)]
        keep(tmp_path, *rows)

    threads = [threading.Thread(target=serve, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept(tmp_path)) >= 20  # a write that has to wait too long is dropped
    keep(tmp_path, (Kind.HEADER, "/store/last", "x"))
    assert "/store/last" in {row.path for row in kept(tmp_path)}


def test_surfaces_are_bounded_and_those_written_longest_ago_go_first(tmp_path, monkeypatch):
    monkeypatch.setattr(index_module, "SURFACE_BYTES", 25)
    for name in "abc":
        keep(tmp_path, (Kind.SURFACE, f"/store/{name}", "0123456789"))
    assert [row.path for row in kept(tmp_path, Kind.SURFACE)] == ["/store/b", "/store/c"]


def test_kinds_that_are_not_wanted_are_removed(tmp_path):
    keep(tmp_path, (Kind.NAMES, "/store/a", SECRET), (Kind.HEADER, "/store/a", "A"))
    assert SECRET.encode() in everything(tmp_path)
    index = DiskIndex(tmp_path, Path("/store"), HEADERS)
    assert index.rows(Kind.NAMES) == []
    index.put(Kind.NAMES, "/store/a", "r1", SECRET.encode)
    index.close()
    assert [row.value for row in kept(tmp_path)] == [b"A"]
    assert kept(tmp_path, Kind.NAMES) == []
    assert SECRET.encode() not in everything(tmp_path)


def test_what_cannot_be_encoded_costs_only_itself(tmp_path):
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    index = DiskIndex(tmp_path, Path("/store"))
    index.put(Kind.SURFACE, "/store/deep", "r1", lambda: compact_bytes(deep))
    index.put(Kind.SURFACE, "/store/set", "r1", lambda: compact_bytes({1}))
    index.put(Kind.SURFACE, "/store/flat", "r1", b"A".strip)
    index.close()
    assert kept(tmp_path, Kind.SURFACE) == [Row("/store/flat", "r1", b"A")]


def test_no_index_keeps_nothing():
    index = NoIndex()
    index.put(Kind.HEADER, "/a", "r", bytes)
    index.forget(["/a"])
    assert index.rows(Kind.HEADER) == []
    assert index.row(Kind.HEADER, "/a") is None
    index.close()


def big(session_id: str, answers: int = 40) -> Script:
    """A log whose file is worth resuming."""
    script = Script(session_id, version=4)
    for number in range(answers):
        script.exchange(f"{SECRET} {number}", os.urandom(8_000).hex())
    script.title(f"The title of {session_id}")
    script.context(1_000)
    return script


async def ask(store: SessionStore, session_id: str):
    listing = await store.list_sessions()
    titles = await store.read_titles([session_id])
    surface = await store.read_surface(session_id)
    await store.aclose()
    return listing, titles, surface


def test_a_second_server_reads_no_log(tmp_path, monkeypatch):
    root, cache = tmp_path / "sessions", tmp_path / "cache"
    write_log(root, big("s"))
    before = tree(root)
    first = anyio.run(ask, SessionStore(root, index=DiskIndex(cache, root)), "s")
    opened: list[str] = []
    real = os.open

    def open_file(path, *rest):
        opened.append(str(path))
        return real(path, *rest)

    monkeypatch.setattr(os, "open", open_file)
    second = anyio.run(ask, SessionStore(root, index=DiskIndex(cache, root)), "s")
    assert second == first
    assert len([path for path in opened if path.endswith(".zstd")]) <= 1  # to compare its end
    assert tree(root) == before


def test_a_store_that_is_watched_before_it_is_listed_knows_its_titles(tmp_path):
    root, cache = tmp_path / "sessions", tmp_path / "cache"
    write_log(root, big("s"))
    anyio.run(ask, SessionStore(root, index=DiskIndex(cache, root)), "s")

    async def watched(store: SessionStore):
        with store.followed():
            await store.refresh()
            known = await store.known_titles(("s",))
        await store.aclose()
        return known

    known = anyio.run(watched, SessionStore(root, index=DiskIndex(cache, root)))
    assert known.complete
    assert known.titles["s"].title == "The title of s"


def test_an_index_of_headers_holds_no_conversation(tmp_path):
    root, cache = tmp_path / "sessions", tmp_path / "cache"
    write_log(root, big("s"))
    index = DiskIndex(cache, root, HEADERS)
    anyio.run(ask, SessionStore(root, index=index), "s")
    assert b"/home/dev/proj" in everything(cache)
    assert b"The title" not in everything(cache)
    assert [len(kept(cache, kind, str(root))) for kind in Kind] == [1, 0, 0]


def test_rows_of_logs_that_are_gone_are_forgotten(tmp_path):
    root, cache = tmp_path / "sessions", tmp_path / "cache"
    path = write_log(root, big("s"))
    write_log(root, big("t"))
    anyio.run(ask, SessionStore(root, index=DiskIndex(cache, root)), "s")
    path.unlink()
    anyio.run(ask, SessionStore(root, index=DiskIndex(cache, root)), "t")
    assert {Path(row.path).parent.name for row in kept(cache, Kind.HEADER, str(root))} == {"t"}
    (tmp_path / "away").mkdir()
    root.rename(tmp_path / "away" / "sessions")
    with pytest.raises(ReadFailedError, match="no such session"):
        anyio.run(ask, SessionStore(root, index=DiskIndex(cache, root)), "t")
    assert len(kept(cache, Kind.HEADER, str(root))) == 1  # a drive that is away for a while


@pytest.mark.parametrize("value", [b"", b"{}", b"[1]", b"\xff", b'{"facts":[1,2,3]}', b"null"])
def test_values_that_make_no_sense_are_not_there(tmp_path, value):
    root, cache = tmp_path / "sessions", tmp_path / "cache"
    write_log(root, big("s"))
    first = anyio.run(ask, SessionStore(root, index=DiskIndex(cache, root)), "s")
    connection = sqlite3.connect(file_of(cache))
    connection.execute("UPDATE kept SET value = ?", [value])
    connection.commit()
    connection.close()
    assert anyio.run(ask, SessionStore(root, index=DiskIndex(cache, root)), "s") == first
