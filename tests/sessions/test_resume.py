"""A log that grew is read on from its last whole frame, and gives what reading all of it gives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest import mock

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsh_lsp.core.javascript import compact_bytes, parse
from dsh_lsp.core.log.event_types import KIND
from dsh_lsp.core.log.events import parse_header
from dsh_lsp.core.log.keep import conversation_only
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.sessions import resume
from dsh_lsp.sessions.index import DiskIndex
from dsh_lsp.sessions.layout import Compression, LogName
from dsh_lsp.sessions.logfile import OpenLog
from dsh_lsp.sessions.read_names import read_names
from dsh_lsp.sessions.read_surface import read_surface
from dsh_lsp.sessions.store import SessionStore
from tests.support.log_script import Script, line
from tests.support.store_writer import frame, plain_log, write_log, zstd_frames


class Never:
    def is_set(self) -> bool:
        return False


STOP = Never()
NAME = LogName(4, Compression.ZSTD)
PLAIN = LogName(4, Compression.NONE)


@pytest.fixture(autouse=True)
def resumed(monkeypatch) -> None:
    """Resume logs of any size."""
    monkeypatch.setattr(resume, "WORTH_RESUMING", 1)


def long_script(session_id: str = "s") -> Script:
    script = Script(session_id, version=4)
    for number in range(6):
        script.begin(f"question {number}")
        script.answer("thinking", "call-1")
        script.tool_call("call-1")
        script.tool_result("call-1", "output " * 50)
        script.answer(f"answer {number}")
        script.end()
        if number == 2:
            script.compact("what was said", keep_last=1)
        if number == 3:
            script.title("A title \ud83d")
    script.begin("a turn that stays open")
    script.answer("", "call-2")
    return script


def bytes_read(path: Path, earlier) -> tuple[Any, int]:
    """A surface, and how many bytes of its log were read."""
    count = 0
    real = OpenLog.read

    def counted(log: OpenLog, offset: int, size: int) -> bytes:
        nonlocal count
        piece = real(log, offset, size)
        count += len(piece)
        return piece

    with mock.patch.object(OpenLog, "read", counted):
        done = read_surface(str(path), NAME, KIND, STOP, earlier)
    return done, count


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.integers(0, 40_000), min_size=1, max_size=5),
    st.sampled_from([Compression.ZSTD, Compression.NONE]),
)
def test_reading_on_after_any_growth_is_reading_everything(tmp_path, cuts, compression):
    script = long_script()
    data = b"".join(zstd_frames(script)) if compression is Compression.ZSTD else plain_log(script)
    header = len(zstd_frames(script)[0] if compression is Compression.ZSTD else line(script.header))
    name = LogName(4, compression)
    path = tmp_path / "log"
    path.unlink(missing_ok=True)
    path.touch()
    surface_end = names_end = None
    for size in [*sorted(header + cut % (len(data) - header) for cut in cuts), len(data)]:
        with path.open("r+b") as file:  # in place, as a log grows
            file.write(data[:size])
        whole = read_surface(str(path), name, KIND, STOP)
        again = read_surface(str(path), name, KIND, STOP, surface_end)
        assert again.value == whole.value
        names = read_names(str(path), name, KIND, STOP, names_end)
        assert names.value.facts.title == whole.value.title
        surface_end, names_end = again.resumable, names.resumable


def test_only_what_is_new_is_read(tmp_path):
    script = Script("s", version=4)
    for number in range(50):
        script.exchange(f"q{number}", os.urandom(4_000).hex())
    path = write_log(tmp_path, script)
    first, all_bytes = bytes_read(path, None)
    seen = len(script.events)
    script.exchange("more", "and more")
    new = frame(b"".join(map(line, script.events[seen:])))
    with path.open("ab") as file:
        file.write(new)
    second, some_bytes = bytes_read(path, first.resumable)
    assert second.value == read_surface(str(path), NAME, KIND, STOP).value
    assert some_bytes < len(new) + 4 * 4096 + 1
    assert all_bytes > 100_000


def test_a_log_that_was_rewritten_is_read_from_the_start(tmp_path):
    path = write_log(tmp_path, long_script())
    first = read_surface(str(path), NAME, KIND, STOP)
    other = Script("other", version=4)
    for number in range(30):
        other.exchange(f"something else {number}", os.urandom(2_000).hex())
    data = b"".join(zstd_frames(other))
    with path.open("r+b") as file:  # the same file, now longer
        file.write(data)
    assert path.stat().st_size > first.size
    second = read_surface(str(path), NAME, KIND, STOP, first.resumable)
    assert second.value.header.id == "other"


def test_a_log_that_was_shortened_or_replaced_is_read_from_the_start(tmp_path):
    script = long_script()
    path = write_log(tmp_path, script)
    first = read_surface(str(path), NAME, KIND, STOP)
    frames = zstd_frames(script)
    with path.open("r+b") as file:
        file.truncate(len(frames[0]) + len(frames[1]))
    second = read_surface(str(path), NAME, KIND, STOP, first.resumable)
    assert len(second.value.nodes) < len(first.value.nodes)
    copy = path.with_name("copy")
    copy.write_bytes(b"".join(frames))
    copy.replace(path)
    again = read_surface(str(path), NAME, KIND, STOP)
    assert again.value == first.value


def test_a_log_of_the_same_length_that_was_touched_is_read_from_the_start(tmp_path):
    path = write_log(tmp_path, long_script())
    first = read_surface(str(path), NAME, KIND, STOP)
    assert first.resumable is not None
    os.utime(path, (1, 1))
    _, count = bytes_read(path, first.resumable)
    assert count >= first.size


def test_a_replay_goes_on_from_its_state():
    for script in (long_script(), Script("empty", version=4)):
        events = [line(event)[:-1] for event in script.events]
        header = parse_header(line(script.header))
        for cut in range(0, len(events) + 1, 3):
            one = LogReplay(header, KIND, conversation_only)
            for event in events[:cut]:
                one.feed(event)
            state = parse(compact_bytes(one.state()))
            other = LogReplay.restored(header, KIND, conversation_only, state)
            for event in events[cut:]:
                one.feed(event)
                other.feed(event)
            assert other.finish() == one.finish()
            assert other.state() == one.state()


@pytest.mark.anyio
async def test_a_growing_session_is_read_on_by_the_next_server_too(tmp_path):
    root, cache = tmp_path / "sessions", tmp_path / "cache"
    script = long_script()
    path = write_log(root, script)
    store = SessionStore(root, index=DiskIndex(cache, root))
    await store.read_surface("s")
    await store.read_titles(["s"])
    await store.aclose()
    seen = len(script.events)
    script.end()
    script.exchange("later", "much later")
    with path.open("ab") as file:
        file.write(frame(b"".join(map(line, script.events[seen:]))))
    grown = SessionStore(root, index=DiskIndex(cache, root))
    fresh = SessionStore(root)
    assert await grown.read_titles(["s"]) == await fresh.read_titles(["s"])
    assert await grown.read_surface("s") == await fresh.read_surface("s")
    await grown.aclose()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_marks_survive_json():
    mark = resume.Mark("r", 1, 2, "d")
    assert resume.Mark.from_json(mark.as_json()) == mark
    for wrong in (None, [1], "four", ["r", "x", 2, "d"]):
        with pytest.raises((TypeError, ValueError)):
            resume.Mark.from_json(wrong)


def test_the_store_reads_on_in_memory(tmp_path):
    script = long_script()
    path = write_log(tmp_path, script)

    async def follow() -> None:
        store = SessionStore(tmp_path)
        for _ in range(4):
            seen = len(script.events)
            script.batch()
            script.user("another", {"kind": "user"})
            with path.open("ab") as file:
                file.write(frame(b"".join(map(line, script.events[seen:]))))
            surface = await store.read_surface("s")
            assert surface == await SessionStore(tmp_path).read_surface("s")

    anyio.run(follow)
