"""From the start of the process to the first answers, against a bare pygls server; its memory."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.big_logs import Writer
from tests.benchmarks.client import OURS, Client, processor_seconds, started
from tests.benchmarks.measuring import milliseconds, row

BARE = (sys.executable, "-m", "tests.benchmarks.bare_server")
RUNS = 11
SESSIONS = 10_000


def run(folder: Path) -> None:
    """Print the rows."""
    small, big = folder / "small", folder / "big"
    Writer().store(small / "sessions", 20, 16_000)
    _first_answers(small)
    print(f"  (writing {SESSIONS:,} sessions)", flush=True)
    Writer().store(big / "sessions", SESSIONS, 16_000)
    for what, home, goal in (
        ("idle, 20 sessions", small, 70),
        (f"{SESSIONS:,} sessions, all titles read", big, 120),
        (f"{SESSIONS:,} sessions, from the index on disk", big, 120),
    ):
        memory = _memory(home)
        if memory is not None:
            row(
                f"memory, {what}",
                f"{memory / 2**20:.0f} MiB",
                f"<= {goal} MiB",
                met=memory <= goal << 20,
            )


def _first_answers(home: Path) -> None:
    _answers(OURS, home)  # compiles modules that have changed
    times = [(_answers(BARE, home), _answers(OURS, home)) for _ in range(RUNS)]  # in turn
    bare, ours = (
        [statistics.median(each) for each in zip(*runs, strict=True)]
        for runs in zip(*times, strict=True)
    )
    row("bare pygls server: initialize answered", milliseconds(bare[0]))
    row("  first completion", milliseconds(bare[1]))
    row("dsh-lsp: initialize answered", milliseconds(ours[0]), "<= 60 ms", met=ours[0] <= 0.06)
    met = ours[1] <= bare[1] + 0.05
    row("  first completion", milliseconds(ours[1]), "<= bare + 50 ms", met=met)


def _open(client: Client, home: Path) -> None:
    client.open(_uri(home), "see @")


def _complete(client: Client, home: Path) -> None:
    assert client.complete(_uri(home), 0, 5)


def _uri(home: Path) -> str:
    """A prompt in a folder of its own: below its folder, files are looked for."""
    return (home / "project" / "prompt.md").as_uri()


def _answers(command: Sequence[str], home: Path) -> tuple[float, float]:
    """Seconds from the start of the process to two answers."""
    begin = time.perf_counter()
    with started(command, home) as client:
        client.initialize({})
        initialized = time.perf_counter() - begin
        _open(client, home)
        _complete(client, home)
        return initialized, time.perf_counter() - begin


def _memory(home: Path) -> int | None:
    """Resident bytes of a server that has read all there is to read."""
    with started(OURS, home) as client:
        client.initialize({})
        _open(client, home)
        spent = 0.0
        for _ in range(60):
            _complete(client, home)
            time.sleep(0.5)
            now = processor_seconds(client.pid)
            if now is None or now - spent < 0.02:
                break
            spent = now
        try:
            pages = int(Path(f"/proc/{client.pid}/statm").read_text().split()[1])
        except OSError:
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")
