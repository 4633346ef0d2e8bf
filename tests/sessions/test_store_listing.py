"""Listing a store: headers only, in order, and every fault costs only itself."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import anyio
import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions.frames import LogDecoder
from dsh_lsp.sessions.layout import Compression, LogName
from dsh_lsp.sessions.logfile import read_header
from dsh_lsp.sessions.store import SessionStore
from tests.support.log_script import Script, line
from tests.support.store_writer import frame, plain_log, write_log, zstd_frames

CWD = "/home/dev/proj"


def script(session_id: str = "good", version: int = 4, **header) -> Script:
    made = Script(session_id, version=version, **{"cwd": CWD} | header)
    made.exchange("a question", "an answer")
    return made


def listing(root: Path):
    return anyio.run(SessionStore(root).list_sessions)


def ids(root: Path) -> list[str]:
    return [entry.header.id for entry in listing(root).sessions]


def only_fault(root: Path):
    """The one fault of a store in which the good session is listed nevertheless."""
    found = listing(root)
    assert [entry.header.id for entry in found.sessions] == ["good"]
    (fault,) = found.faults
    return fault


def test_newest_first_and_then_by_id(tmp_path):
    for session_id, created in (("b", 5), ("a", 5), ("old", 1), ("new", 9)):
        write_log(tmp_path, script(session_id, created_at=created))
    assert ids(tmp_path) == ["new", "a", "b", "old"]


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("compression", list(Compression))
def test_every_format_is_listed_with_its_header(tmp_path, version, compression):
    path = write_log(tmp_path, script("x", version, origin="subagent"), compression)
    (entry,) = listing(tmp_path).sessions
    assert (entry.header.id, entry.header.cwd, entry.header.origin) == ("x", CWD, "subagent")
    assert entry.header.format_version == version
    assert entry.origin == str(path)


@pytest.mark.parametrize("session_id", ["a/b", "..", 'quo"te\n', "\0", "😀", "\ud800", "x" * 80])
@pytest.mark.parametrize("cwd", [None, "/", "C:\\Users\\dev", "/ä ö/ü", "/" + "long" * 90])
def test_any_id_and_cwd_are_read_from_the_header(tmp_path, session_id, cwd):
    write_log(tmp_path, script(session_id, cwd=cwd))
    found = listing(tmp_path)
    (entry,) = found.sessions
    assert (entry.header.id, entry.header.cwd) == (session_id, cwd)
    assert found.faults == ()


def test_only_headers_are_read(tmp_path, monkeypatch):
    long = script("good")
    for number in range(200):
        long.exchange(f"question {number}", os.urandom(2_000).hex())
    write_log(tmp_path, long)
    pieces: list[int] = []
    feed = LogDecoder.feed

    def counted(self, data):
        pieces.append(len(data))
        return feed(self, data)

    monkeypatch.setattr(LogDecoder, "feed", counted)
    assert ids(tmp_path) == ["good"]
    assert sum(pieces) <= 4_096


def test_a_long_header_is_read_over_several_pieces(tmp_path):
    write_log(tmp_path, script("good", agentPreset=os.urandom(20_000).hex()))
    assert ids(tmp_path) == ["good"]


def test_the_highest_generation_counts(tmp_path):
    write_log(tmp_path, script("good", 3))
    newer = write_log(tmp_path, script("good", 4))
    (newer.parent / "session.v5.jsonl.zstd.tmp").write_bytes(b"half")
    (entry,) = listing(tmp_path).sessions
    assert (entry.header.format_version, entry.origin) == (4, str(newer))


def test_folders_without_a_log_and_files_beside_projects_are_no_faults(tmp_path):
    write_log(tmp_path, script())
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "--empty--" / "session-x").mkdir(parents=True)
    (tmp_path / "--empty--" / "session-x" / "session.lock").touch()
    (tmp_path / "--empty--" / "readme.md").write_text("mine")
    found = listing(tmp_path)
    assert len(found.sessions) == 1
    assert found.faults == ()


BROKEN = {
    "empty": b"",
    "plain text": b"hello\nworld\n",
    "foreign": b"PK\x03\x04" + bytes(100),
    "half a header": frame(line(script("bad").header))[:-6],
    "header not alone": frame(plain_log(script("bad"))),
    "no JSON": frame(b"{nope\n"),
    "no object": frame(b"[]\n"),
    "another record": frame(b'{"type":"user/message"}\n'),
    "no id": frame(b'{"type":"session","version":4,"createdAt":1,"delegationDepth":0}\n'),
    "bad time": frame(line(script("bad", createdAt=-1).header)),
    "id of a wrong type": frame(line(script("bad").header | {"id": 5})),
    "no version": frame(line(script("bad").header | {"version": True})),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_log_costs_only_itself(tmp_path, name):
    write_log(tmp_path, script())
    path = write_log(tmp_path, script("bad"), data=BROKEN[name])
    fault = only_fault(tmp_path)
    assert (fault.place, fault.reason) == (str(path), ReadFault.CORRUPT)
    assert "move its folder out of the store" in fault.message


def test_a_torn_log_is_listed(tmp_path):
    whole = script("good")
    write_log(tmp_path, whole, data=b"".join(zstd_frames(whole))[:-9])
    write_log(tmp_path, script("only a header"), data=zstd_frames(script("only a header"))[0])
    assert set(ids(tmp_path)) == {"good", "only a header"}


def test_a_store_that_does_not_exist_is_one_fault(tmp_path):
    (fault,) = listing(tmp_path / "nothing").faults
    assert fault.reason is ReadFault.NOT_FOUND
    assert "dsh.home" in fault.message


def test_a_store_that_is_a_file_is_one_fault(tmp_path):
    (tmp_path / "file").write_text("x")
    (fault,) = listing(tmp_path / "file").faults
    assert fault.reason is ReadFault.UNREADABLE
    assert "is a file" in fault.message


def test_a_moved_session_is_read_and_told(tmp_path):
    path = write_log(tmp_path, script("good"))
    moved = tmp_path / "--elsewhere--" / "copy"
    moved.parent.mkdir()
    shutil.move(path.parent, moved)
    fault = only_fault(tmp_path)
    assert fault.reason is ReadFault.MISPLACED
    assert str(path.parent) in fault.message


def test_a_copied_session_is_read_from_its_right_place(tmp_path):
    path = write_log(tmp_path, script("good"))
    copy = path.parent.with_name("a-copy")
    shutil.copytree(path.parent, copy)
    fault = only_fault(tmp_path)
    assert (fault.place, fault.reason) == (str(copy / path.name), ReadFault.MISPLACED)
    assert listing(tmp_path).sessions[0].origin == str(path)


def test_a_plain_log_beside_a_compressed_one_is_told(tmp_path):
    path = write_log(tmp_path, script("good"))
    write_log(tmp_path, script("good"), Compression.NONE)
    fault = only_fault(tmp_path)
    assert (fault.place, fault.reason) == (str(path), ReadFault.MISPLACED)
    assert "session.v4.jsonl lies beside" in fault.message


@pytest.mark.parametrize("name", ["x.jsonl", "session.jsonl.zstd"])
def test_a_log_directly_in_a_project_is_told(tmp_path, name):
    path = write_log(tmp_path, script("good"))
    (path.parent.parent / name).write_bytes(b"")
    assert only_fault(tmp_path).reason is ReadFault.MISPLACED


def test_an_empty_cwd_has_no_right_place(tmp_path):
    write_log(tmp_path, script("good"))
    path = write_log(tmp_path, script("odd"))
    path.write_bytes(frame(line(script("odd", cwd="").header)))
    found = listing(tmp_path)
    assert {entry.header.id for entry in found.sessions} == {"good", "odd"}
    assert [fault.reason for fault in found.faults] == [ReadFault.MISPLACED]


def test_names_of_folders_are_shown_escaped(tmp_path):
    path = write_log(tmp_path, script("good"))
    odd = path.parent.with_name("odd\n\x1b[31m\u202e" + os.fsdecode(b"\xff"))
    shutil.move(path.parent, odd)
    (entry,) = listing(tmp_path).sessions
    fault = only_fault(tmp_path)
    assert fault.place == entry.origin
    assert fault.place.endswith("/odd \\u001b[31m\\u202e\\udcff/session.v4.jsonl.zstd")
    assert anyio.run(SessionStore(tmp_path).read_surface, "good").header.id == "good"


def as_fifo(path: Path) -> None:
    os.mkfifo(path)


def as_folder(path: Path) -> None:
    path.mkdir()


def as_socket(path: Path) -> None:
    # The path of a socket must be short, so it is bound by a relative name.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
@pytest.mark.parametrize("make", [as_fifo, as_folder, as_socket])
def test_what_is_no_regular_file_is_never_opened(tmp_path, make):
    write_log(tmp_path, script())
    path = write_log(tmp_path, script("bad"))
    path.unlink()
    make(path)
    fault = only_fault(tmp_path)
    assert (fault.place, fault.reason) == (str(path), ReadFault.UNREADABLE)
    assert "regular file" in fault.message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_a_log_that_became_a_fifo_since_it_was_seen_does_not_hang(tmp_path):
    path = write_log(tmp_path, script())
    name = LogName(4, Compression.ZSTD)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ReadFailedError) as caught:
        read_header(str(path), name)
    assert caught.value.reason is ReadFault.UNREADABLE


def test_loops_of_symbolic_links_are_no_hindrance(tmp_path):
    path = write_log(tmp_path, script())
    (tmp_path / "--loop--").symlink_to(tmp_path, target_is_directory=True)
    (path.parent.parent / "self").symlink_to("self")
    (path.parent.parent / "up").symlink_to(path.parent.parent, target_is_directory=True)
    found = listing(tmp_path)
    assert [entry.header.id for entry in found.sessions] == ["good"]
    assert {Path(fault.place).name for fault in found.faults} == {"self"}


def test_a_linked_project_is_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    path = write_log(elsewhere, script())
    root = tmp_path / "sessions"
    root.mkdir()
    (root / path.parent.parent.name).symlink_to(path.parent.parent, target_is_directory=True)
    (root / "--again--").symlink_to(path.parent.parent, target_is_directory=True)
    found = listing(root)
    assert [entry.header.id for entry in found.sessions] == ["good"]
    assert found.faults == ()


@pytest.mark.parametrize("refused", ["root", "project", "session", "log"])
def test_what_may_not_be_read_is_told(tmp_path, monkeypatch, refused):
    """The refusal is made up, since root, who may run the tests, may read everything."""
    write_log(tmp_path, script())
    path = write_log(tmp_path, script("bad", cwd="/locked"))
    place = {"root": tmp_path, "project": path.parent.parent, "session": path.parent}.get(refused)
    real_scandir, real_open = os.scandir, os.open

    def scandir(folder):
        if place is not None and Path(folder) == place:
            raise PermissionError(13, "Permission denied", folder)
        return real_scandir(folder)

    def open_file(name, *rest):
        if refused == "log" and name == str(path):
            raise PermissionError(13, "Permission denied", name)
        return real_open(name, *rest)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "open", open_file)
    found = listing(tmp_path)
    assert [entry.header.id for entry in found.sessions] == ([] if refused == "root" else ["good"])
    (fault,) = found.faults
    assert (fault.place, fault.reason) == (str(place or path), ReadFault.NO_PERMISSION)
    assert "give your user the right" in fault.message


def test_a_failing_disk_is_told(tmp_path, monkeypatch):
    path = write_log(tmp_path, script())

    def fail(name, *rest):
        raise OSError(5, "Input/output error", name)

    monkeypatch.setattr(os, "open", fail)
    (fault,) = listing(tmp_path).faults
    assert (fault.place, fault.reason) == (str(path), ReadFault.UNREADABLE)
    assert "Input/output error" in fault.message


def test_a_session_that_vanishes_while_the_store_is_walked_is_no_fault(tmp_path, monkeypatch):
    write_log(tmp_path, script())
    gone = write_log(tmp_path, script("gone")).parent
    real = os.scandir

    def scandir(folder):
        if folder == str(gone):
            shutil.rmtree(gone)
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    found = listing(tmp_path)
    assert len(found.sessions) == 1
    assert found.faults == ()
