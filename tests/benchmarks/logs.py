"""One log to its surface: against plain decompression, again, after an append, and its memory."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import anyio
import zstandard

from dsh_lsp.core.log.event_types import KIND
from dsh_lsp.sessions.layout import Compression, LogName
from dsh_lsp.sessions.read_surface import read_surface
from dsh_lsp.sessions.store import SessionStore
from tests.benchmarks.big_logs import Writer
from tests.benchmarks.measuring import median, milliseconds, row

SIZES = (1, 10, 60, 300)  # MiB, uncompressed
NAME = LogName(4, Compression.ZSTD)


def run(folder: Path) -> None:
    """Print the rows."""
    for size in SIZES:
        root = folder / f"log-{size}"
        path = Writer().log(root, "big", 1_700_000_000_000, "/home/dev/p", size << 20).path
        runs = 3 if size > 100 else 5
        plain = median(partial(decompress, path), runs)
        full = median(partial(read_surface, str(path), NAME, KIND, _STOP), runs)
        ratio = full / plain
        row(f"surface of a {size} MiB log, first time", milliseconds(full))
        row("  against the same library, decompressing only", f"{ratio:.1f}x")
        tool = shutil.which("zstd")
        if tool is not None:
            piped = median(partial(_pipe, tool, path), runs)
            row("  against `zstd -dc`", f"{full / piped:.1f}x", "<= 4x", met=full <= 4 * piped)
        anyio.run(_again, root, path)
        _memory(path)


class _Never:
    def is_set(self) -> bool:
        return False


_STOP = _Never()


def decompress(path: Path) -> int:
    """Decompress a log; how many bytes it holds."""
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        return sum(map(len, iter(lambda: reader.read(1 << 17), b"")))


def _pipe(tool: str, path: Path) -> None:
    with subprocess.Popen([tool, "-dc", str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while process.stdout.read(1 << 20):
            pass


async def _again(root: Path, path: Path) -> None:
    store = SessionStore(root)
    surface = await store.read_surface("big")

    async def timed() -> float:
        start = anyio.current_time()
        await store.read_surface("big")
        return anyio.current_time() - start

    again = sorted([await timed() for _ in range(9)])[4]
    row("  again, unchanged", milliseconds(again), "<= 5 ms", met=again <= 0.005)
    grown = []
    seq = surface.captured_through_seq or 0
    for number in range(5):
        event = b'{"type":"todo/write","seq":%d,"time":1,"data":{}}\n' % (seq + 1 + number)
        with path.open("ab") as file:
            file.write(zstandard.ZstdCompressor(write_checksum=True).compress(event))
        grown.append(await timed())
    after = sorted(grown)[2]
    row("  after a small append", milliseconds(after), "<= 5 ms", met=after <= 0.005)


def _memory(path: Path) -> None:
    """In a process of its own, since a peak never goes down."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.peak", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    above, text = (int(number) for number in done.stdout.split())
    allowed = (64 << 20) + text
    value = f"{above / 2**20:.0f} MiB, text {text / 2**20:.0f} MiB"
    row("  peak memory above idle", value, "<= 64 MiB + text", met=above <= allowed)
