"""The bytes of a log: frames, durability, torn tails, ownership."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest
import zstandard

from dsh_lsp.core.log.event_types import STRICT_0_2_1
from dsh_lsp.core.log.keep import conversation_only
from dsh_lsp.harness.embedded.lock import SessionHeldError
from dsh_lsp.harness.embedded.writer import LOG_NAME, LogWriter
from dsh_lsp.harness.port import HarnessError, ReceiptState
from dsh_lsp.sessions.store import SessionStore
from dsh_lsp.sessions.zstdframes import CorruptLogError
from tests.support.embedded import Held, bench, frames_of, log_path, mention, types

HEADER = b'{"type":"session"}'


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def lines_of(path):
    return b"".join(frames_of(path)).splitlines()


def test_the_header_stands_alone_and_each_batch_has_a_frame(tmp_path):
    writer = LogWriter.create(tmp_path / "s", HEADER)
    writer.append([b"1", b"2"])
    writer.append([b"3"])
    writer.append([])
    writer.close()
    path = tmp_path / "s" / LOG_NAME
    assert frames_of(path) == [HEADER + b"\n", b"1\n2\n", b"3\n"]
    assert names(path.parent) == ["session.lock", LOG_NAME]
    assert (path.parent / "session.lock").stat().st_size == 0


def test_every_frame_has_a_checksum(tmp_path):
    writer = LogWriter.create(tmp_path / "s", HEADER)
    writer.append([b"1"])
    writer.close()
    data = writer.path.read_bytes()
    assert zstandard.get_frame_parameters(data).has_checksum
    second = data[len(data) // 2 :]
    second = second[second.index(b"\x28\xb5\x2f\xfd") :]
    assert zstandard.get_frame_parameters(second).has_checksum


def test_an_existing_log_is_never_replaced(tmp_path):
    LogWriter.create(tmp_path / "s", HEADER).close()
    with pytest.raises(FileExistsError):
        LogWriter.create(tmp_path / "s", b"another")
    assert lines_of(tmp_path / "s" / LOG_NAME) == [HEADER]
    assert names(tmp_path / "s") == ["session.lock", LOG_NAME]


def test_a_leftover_of_a_crash_does_not_stand_in_the_way(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / f"{LOG_NAME}.tmp").write_bytes(b"half")
    LogWriter.create(tmp_path / "s", HEADER).close()
    assert lines_of(tmp_path / "s" / LOG_NAME) == [HEADER]


@pytest.mark.parametrize("step", ["write", "fsync"])
def test_a_failed_append_leaves_the_log_as_it_was(tmp_path, monkeypatch, step):
    writer = LogWriter.create(tmp_path / "s", HEADER)
    writer.append([b"1"])
    before = writer.path.read_bytes()
    real = os.fsync
    calls = []

    def fail_once(descriptor):
        calls.append(descriptor)
        if len(calls) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    class Full:
        def __init__(self, file):
            self.file = file

        def write(self, data):
            self.file.write(data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

        def __getattr__(self, name):
            return getattr(self.file, name)

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", fail_once)
        with pytest.raises(OSError, match="No space"):
            writer.append([b"2"])
    else:
        file = writer._file
        monkeypatch.setattr(writer, "_file", Full(file))
        with pytest.raises(OSError, match="No space"):
            writer.append([b"2"])
        monkeypatch.setattr(writer, "_file", file)
    assert writer.path.read_bytes() == before
    writer.append([b"3"])
    writer.close()
    assert lines_of(writer.path) == [HEADER, b"1", b"3"]


def test_after_a_write_that_could_not_be_undone_nothing_more_is_written(tmp_path, monkeypatch):
    class Dead:
        def __init__(self, file):
            self.file = file

        def write(self, data):
            self.file.write(data[:10])
            raise OSError(errno.EIO, "Input/output error")

        def truncate(self, size):
            raise OSError(errno.EIO, "Input/output error")

        def __getattr__(self, name):
            return getattr(self.file, name)

    writer = LogWriter.create(tmp_path / "s", HEADER)
    writer.append([b"1"])
    file = writer._file
    monkeypatch.setattr(writer, "_file", Dead(file))
    with pytest.raises(OSError, match="Input/output"):
        writer.append([b"2" * 100])
    monkeypatch.setattr(writer, "_file", file)
    with pytest.raises(OSError, match="open the log again"):
        writer.append([b"3"])
    writer.close()
    again, lines = LogWriter.reopen(tmp_path / "s")
    again.append([b"3"])
    again.close()
    assert lines == [HEADER, b"1"]
    assert lines_of(writer.path) == [HEADER, b"1", b"3"]


def test_a_partial_write_is_completed(tmp_path, monkeypatch):
    class Slow:
        def __init__(self, file):
            self.file = file

        def write(self, data):
            return self.file.write(data[:3])

        def __getattr__(self, name):
            return getattr(self.file, name)

    writer = LogWriter.create(tmp_path / "s", HEADER)
    monkeypatch.setattr(writer, "_file", Slow(writer._file))
    writer.append([b"1" * 50, b"2"])
    writer.close()
    assert lines_of(writer.path) == [HEADER, b"1" * 50, b"2"]


def test_a_torn_tail_is_cut_off_wherever_it_was_torn(tmp_path):
    writer = LogWriter.create(tmp_path / "s", HEADER)
    writer.append([b"1", b"2"])
    whole = writer.path.stat().st_size
    writer.append([b"3" * 200, b"4" * 200])
    writer.close()
    data = writer.path.read_bytes()
    for size in range(whole, len(data)):
        writer.path.write_bytes(data[:size])
        again, lines = LogWriter.reopen(tmp_path / "s")
        assert lines[:3] == [HEADER, b"1", b"2"]
        assert lines[3:] in ([], [b"3" * 200, b"4" * 200]), size
        again.append([b"5"])
        again.close()
        assert lines_of(writer.path) == [*lines, b"5"]


def test_foreign_bytes_at_the_end_are_not_overwritten(tmp_path):
    writer = LogWriter.create(tmp_path / "s", HEADER)
    writer.append([b"1"])
    writer.close()
    data = writer.path.read_bytes() + b"not a frame"
    writer.path.write_bytes(data)
    with pytest.raises(CorruptLogError):
        LogWriter.reopen(tmp_path / "s")
    assert writer.path.read_bytes() == data


def test_one_writer_at_a_time_and_readers_do_not_ask(tmp_path):
    writer = LogWriter.create(tmp_path / "s", HEADER)
    with pytest.raises(SessionHeldError):
        LogWriter.reopen(tmp_path / "s")
    assert lines_of(writer.path) == [HEADER]
    writer.close()
    LogWriter.reopen(tmp_path / "s")[0].close()


@pytest.mark.skipif(sys.platform == "win32", reason="flock")
def test_the_lock_is_the_one_that_a_host_takes(tmp_path):
    writer = LogWriter.create(tmp_path / "s", HEADER)
    attempt = (
        "import fcntl, sys\n"
        "with open(sys.argv[1]) as file:\n"
        "    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)\n"
    )
    lock = str(tmp_path / "s" / "session.lock")
    held = subprocess.run([sys.executable, "-c", attempt, lock], capture_output=True, check=False)
    writer.close()
    free = subprocess.run([sys.executable, "-c", attempt, lock], capture_output=True, check=False)
    assert b"BlockingIOError" in held.stderr
    assert free.returncode == 0


@pytest.mark.anyio
async def test_a_crash_between_batches_is_closed_when_the_session_goes_on(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        request = await desk.send(session, "go")
        await responder.entered()
        crashed = log_path(desk.harness.store, session).read_bytes()
        responder.release()
        await desk.idle(session)
        path = log_path(desk.harness.store, session)
    path.write_bytes(crashed)  # as if the process had been killed while the model answered
    async with bench(tmp_path) as again:
        receipt = await again.harness.receipt(session, request)
        assert receipt.state is ReceiptState.CAPTURED
        assert path.read_bytes() == crashed  # asking changes nothing
        await again.ask(session, "next")
        events = again.events(session)
    border = types(events).index("session/end-seed")
    assert types(events)[border - 2 : border + 2] == [
        *("step/end", "turn/end", "session/end-seed", "agent/inbox/spliced"),
    ]
    assert events[border - 1]["data"] == {"turn": 1, "reason": {"kind": "interrupted"}}
    assert events[border]["data"] == {}
    assert [event["data"]["turn"] for event in events if event["type"] == "turn/start"] == [1, 2]


@pytest.mark.anyio
async def test_a_crash_at_any_frame_border_leaves_a_session_that_goes_on(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("known")
        session = await desk.session("one")
        await desk.ask(session, f"{mention(source, 'known')} two")
        await desk.harness.compact(session, "so far")
        path = log_path(desk.harness.store, session)
    data, sizes = path.read_bytes(), frame_ends(path)
    assert len(sizes) > 8
    for size in sizes[:-1]:
        path.write_bytes(data[: size + 5])  # five bytes of the frame that was being written
        async with bench(tmp_path) as again:
            assert (await again.ask(session, "on")).state is ReceiptState.CAPTURED
            surface = await again.harness.read_surface(session)
            assert again.surface(session).nodes == surface.nodes
            assert [e["seq"] for e in again.events(session)] == list(
                range(len(again.events(session)))
            )


@pytest.mark.anyio
async def test_the_store_reader_sees_what_the_open_session_shows(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("known", "more \ud83d half and \u2028 line")
        session = await desk.session("one \x00 \u202e", "two")
        await desk.ask(session, f"{mention(source, 'known')} three")
        await desk.harness.compact(session, "so far")
        await desk.harness.rename(session, "A name")
        store = SessionStore(desk.harness.store, rule=STRICT_0_2_1)
        for each in (source, session):
            live = await desk.harness.read_surface(each)
            stored = await store.read_surface(each)
            assert stored.nodes == tuple(conversation_only(node) for node in live.nodes)
            assert stored.header == live.header
            assert stored.captured_through_seq == live.captured_through_seq
            assert (stored.title, stored.label) == (live.title, live.label)
            assert stored.warnings == ()
        listing, live_listing = await store.list_sessions(), await desk.harness.list_sessions()
        assert listing.faults == ()
        assert [e.header for e in listing.sessions] == [e.header for e in live_listing.sessions]
        ids = [source, session]
        assert await store.read_titles(ids) == await desk.harness.read_titles(ids)


@pytest.mark.anyio
async def test_a_full_disk_refuses_the_prompt_and_the_session_recovers(tmp_path, monkeypatch):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
        before = desk.events(session)
        real = LogWriter.append

        def full(self, lines):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(LogWriter, "append", full)
        with pytest.raises(HarnessError, match="No space left on device"):
            await desk.send(session, "two")
        assert desk.events(session) == before
        monkeypatch.setattr(LogWriter, "append", real)
        assert (await desk.ask(session, "three")).state is ReceiptState.CAPTURED


@pytest.mark.anyio
async def test_a_disk_that_fills_up_within_a_turn_stops_only_that_session(tmp_path, monkeypatch):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        one, two = await desk.session(), await desk.session()
        await desk.send(one, "go")
        await responder.entered()
        real = LogWriter.append
        broken = log_path(desk.harness.store, one)

        def full(self, lines):
            if self.path == broken:
                raise OSError(errno.ENOSPC, "No space left on device")
            real(self, lines)

        monkeypatch.setattr(LogWriter, "append", full)
        responder.release(2)
        await desk.idle(one)
        assert (await desk.ask(two, "fine")).state is ReceiptState.CAPTURED
        monkeypatch.setattr(LogWriter, "append", real)
        responder.release()
        assert (await desk.ask(one, "again")).state is ReceiptState.CAPTURED
        reasons = [e["data"]["reason"] for e in desk.events(one) if e["type"] == "turn/end"]
        assert reasons == [{"kind": "interrupted"}, {"kind": "completed"}]


@pytest.mark.anyio
async def test_a_session_that_another_process_writes_is_refused(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
        async with bench(tmp_path) as other:
            assert await other.harness.has_session(session)
            with pytest.raises(SessionHeldError, match="another process"):
                await other.send(session, "two")


@pytest.mark.anyio
async def test_nothing_is_written_outside_the_root(tmp_path):
    root = tmp_path / "root"
    cwd = tmp_path / "project"
    cwd.mkdir()
    async with bench(root) as desk:
        assert list(tmp_path.rglob("*")) == [cwd]
        session = await desk.session("one", cwd=str(cwd))
        nowhere = await desk.session("two", cwd=None)
        await desk.ask(session, mention(nowhere, "x"))
    assert list(cwd.rglob("*")) == []
    assert names(tmp_path) == ["project", "root"]
    assert (root / "sessions" / "_no-cwd" / nowhere).is_dir()


@pytest.mark.anyio
async def test_a_root_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("not a folder", "utf-8")
    async with bench(tmp_path / "file") as desk:
        assert (await desk.harness.list_sessions()).sessions == ()
        with pytest.raises(HarnessError, match=r"dsh\.embedded\.root"):
            await desk.harness.create_session("/w")


def frame_ends(path):
    data, ends = path.read_bytes(), []
    rest = data
    while rest:
        decoder = zstandard.ZstdDecompressor().decompressobj()
        decoder.decompress(rest)
        rest = decoder.unused_data
        ends.append(len(data) - len(rest))
    return ends
