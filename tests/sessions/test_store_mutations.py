"""Whatever bytes lie where a log belongs: a session, or one clear error; and nothing is touched."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.log.event_types import KIND
from dsh_lsp.core.log.events import parse_header
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.sessions.frames import LogDecoder
from dsh_lsp.sessions.layout import Compression
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.store import SessionStore
from dsh_lsp.sessions.zstdframes import CorruptLogError
from tests.support.log_script import Script
from tests.support.store_writer import frame, log_bytes, log_path, tree, write_log

ROOT = Path(__file__).parents[2]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def rich_session(version: int) -> Script:
    """A session with everything that a log may hold, and an open turn."""
    script = Script("s", version=version)
    script.policies()
    script.exchange("first", "one")
    script.begin("with a tool")
    script.answer("calling", "call-1")
    script.tool_call("call-1")
    script.tool_result("call-1", "output")
    script.end()
    script.compact("summary", keep_last=2)
    script.title("A title")
    script.context(1_000)
    script.begin("open")
    script.answer("half", "call-2")
    return script


SCRIPTS = {version: rich_session(version) for version in (0, 3, 4)}
LOGS = {
    (version, compression): log_bytes(script, compression)
    for version, script in SCRIPTS.items()
    for compression in Compression
}


@st.composite
def mutations(draw: st.DrawFn) -> tuple[int, Compression, bytes]:
    """A whole log with bytes changed, cut out or put in at a few places.

    Of a compressed log either the stored bytes are changed, or its text before it is compressed.
    """
    version, compression = draw(st.sampled_from(sorted(LOGS)))
    below = compression is Compression.ZSTD and draw(st.booleans())
    data = LOGS[version, Compression.NONE if below else compression]
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.sampled_from([0, 1, 2, 7, 100, len(data)]))
        put = draw(st.binary(max_size=4) | st.sampled_from([b'"', b"\n", b"}", b"-1", b"null"]))
        data = data[:at] + put + data[at + cut :]
    if below:
        header, feed, rest = data.partition(b"\n")
        data = frame(header + feed) + frame(rest)
    return version, compression, data


async def observe(root: Path) -> tuple[str, Surface | None, Mapping[str, SessionTitle]]:
    query = SessionStore(root)
    listing = await query.list_sessions()
    titles = await query.read_titles(["s"])
    try:
        surface = await query.read_surface("s")
    except ReadFailedError as error:
        return error.message, None, titles
    assert listing.sessions
    return "", surface, titles


@settings(max_examples=300, deadline=None)
@given(mutations())
def test_a_changed_log_gives_a_session_or_one_clear_error(changed):
    version, compression, data = changed
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_log(root, SCRIPTS[version], compression, data)
        before = tree(root)
        message, surface, titles = anyio.run(observe, root)
        assert tree(root) == before
    if surface is None:
        assert message.startswith(folder)
    elif data == LOGS[version, compression]:
        assert titles == {"s": SessionTitle(surface.title, surface.label)}
    assert titles.keys() <= {"s"}  # a title may be told though its log is damaged elsewhere


def replayed(data: bytes, compression: Compression, pieces: int) -> object:
    """The surface of bytes that were fed in pieces, or the error."""
    decoder = LogDecoder(compression)
    replay: LogReplay | None = None
    chunks = [data[at : at + pieces] for at in range(0, len(data), pieces)]
    try:
        for source in [*(decoder.feed(chunk) for chunk in chunks), decoder.close()]:
            for batch in source:
                for line in batch.lines:
                    if replay is None:
                        replay = LogReplay(parse_header(line), KIND)
                    else:
                        replay.feed(line)
                if batch.ended and replay is not None:
                    replay.settle()
    except (CorruptLogError, ReadFailedError, ValueError) as error:
        return type(error), str(error)
    assert replay is not None
    return replay.finish()


@settings(max_examples=150, deadline=None)
@given(mutations() | st.tuples(st.just(4), st.sampled_from(list(Compression)), st.binary()))
def test_records_are_the_same_fed_whole_or_byte_by_byte(changed):
    _, compression, data = changed
    assert replayed(data, compression, 1) == replayed(data, compression, max(len(data), 1))


@pytest.mark.parametrize("key", sorted(LOGS), ids=str)
def test_the_unchanged_logs_are_whole(key):
    version, compression = key
    found = replayed(LOGS[key], compression, 100)
    assert isinstance(found, Surface)
    assert found.title == "A title"
    assert found.captured_through_seq == SCRIPTS[version].seq + 2


@pytest.mark.anyio
async def test_reading_a_store_touches_nothing(tmp_path):
    root = tmp_path / "sessions"
    for number, (version, compression) in enumerate(sorted(LOGS)):
        script = Script(f"s{number}", version=version)
        script.exchange("q", "a")
        write_log(root, script, compression)
        torn = Script(f"torn{number}", version=version)
        torn.exchange("q", "a")
        write_log(root, torn, compression, log_bytes(torn, compression)[:-3])
    broken = write_log(root, Script("broken", version=4), data=b"garbage!")
    (broken.parent / "session.migration.1.tmp").write_bytes(b"x")
    lock = log_path(root, Script("s0", version=0)).parent / "session.lock"
    before = tree(tmp_path)
    query = SessionStore(root)
    listing = await query.list_sessions()
    await query.refresh()
    await query.read_titles([entry.header.id for entry in listing.sessions])
    read = 0
    for entry in listing.sessions:
        read += (await query.read_surface(entry.header.id)).captured_through_seq is not None
    await query.latest_context_window()
    assert read == 2 * len(LOGS)
    assert tree(tmp_path) == before
    assert lock.stat().st_size == 0


@pytest.mark.anyio
async def test_a_session_that_its_host_has_locked_is_read(tmp_path):
    fcntl = pytest.importorskip("fcntl", reason="hosts lock otherwise on this system")
    script = SCRIPTS[4]
    path = write_log(tmp_path, script)
    with (path.parent / "session.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert (await SessionStore(tmp_path).read_surface("s")).title == "A title"


READER = """
import resource, sys
from pathlib import Path
import anyio
from dsh_lsp.sessions.store import SessionStore

async def main():
    query = SessionStore(Path(sys.argv[1]))
    await query.read_surface("small")
    idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    surface = await query.read_surface("large")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - idle, len(surface.nodes))

anyio.run(main)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units elsewhere")
def test_a_large_log_is_read_in_bounded_memory(tmp_path):
    """40 MB of tool output, which is not quoted, so that nothing but the reading takes memory."""
    small, large = Script("small", version=4), Script("large", version=4)
    small.exchange("q", "a")
    for number in range(80):
        large.begin(f"step {number}")
        large.answer("calling", f"call-{number}")
        large.tool_call(f"call-{number}")
        large.tool_result(f"call-{number}", f"{number} some output of a tool " * 21_000)
        large.end()
    write_log(tmp_path, small)
    path = write_log(tmp_path, large, Compression.NONE)
    assert path.stat().st_size > 40_000_000
    done = subprocess.run(
        [sys.executable, "-c", READER, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        timeout=60,
    )
    kilobytes, nodes = map(int, done.stdout.split())
    assert nodes == 241
    assert kilobytes < 24_000
