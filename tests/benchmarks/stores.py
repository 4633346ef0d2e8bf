"""Stores of many sessions: cold, from the index, unchanged, candidates, and typing meanwhile."""

from __future__ import annotations

import math
import time
from functools import partial
from pathlib import Path

import anyio
import zstandard

from dsh_lsp.core.limits import Limits
from dsh_lsp.server import garbage
from dsh_lsp.sessions.index import DiskIndex
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from dsh_lsp.sessions.store import SessionStore
from tests.benchmarks.big_logs import Writer
from tests.benchmarks.measuring import median, milliseconds, percentile, row

COUNTS = (1_000, 10_000, 100_000)
LOG_BYTES = 16_000  # uncompressed; recorded sessions have 20 to 70 KB
CWD = "/home/dev/project-3"
QUERIES = ("", "a", "karen", "no such title anywhere", "session-0000")


def run(folder: Path) -> None:
    """Print the rows."""
    for count in COUNTS:
        root = folder / f"store-{count}"
        size = LOG_BYTES if count < 100_000 else 1_000
        print(f"  (writing {count:,} sessions of about {size:,} bytes)", flush=True)
        Writer().store(root, count, size)
        plain = median(partial(_decompress, root), 3)
        anyio.run(_measure, root, count, plain, folder / f"cache-{count}")


def _decompress(root: Path) -> int:
    """Find, read and decompress every log."""
    total = 0
    decompressor = zstandard.ZstdDecompressor()
    for path in root.glob("*/*/session*"):
        reader = decompressor.decompressobj(read_across_frames=True)
        total += len(reader.decompress(path.read_bytes()))
    return total


async def _timed(work) -> float:
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


async def _measure(root: Path, count: int, plain: float, cache: Path) -> None:
    print(f"{count:,} sessions")
    store = SessionStore(root)
    listed = await _timed(store.list_sessions)
    goal = ("<= 1 s", listed <= 1) if count == 10_000 else ("", None)
    row("  list, cold", milliseconds(listed), goal[0], met=goal[1])
    again = await _timed(store.refresh)
    row("  every log looked at again, nothing changed", milliseconds(again))
    titles = await _titles(store)
    ratio = (listed + titles) / plain
    row("  list and all titles, cold", milliseconds(listed + titles))
    row("  against finding and decompressing", f"{ratio:.1f}x", "<= 3x", met=ratio <= 3)
    first = SessionStore(root, index=DiskIndex(cache, root))
    await first.list_sessions()
    await _titles(first)
    await first.aclose()
    second = SessionStore(root, index=DiskIndex(cache, root))
    known = await _timed(second.list_sessions) + await _titles(second)
    await second.aclose()
    row("  list and all titles, from the index on disk", milliseconds(known))
    await _candidates(store, count)
    await _typing(root, count)


async def _titles(store: SessionStore) -> float:
    """Seconds until all titles of a watched store are known."""
    with store.followed():
        ids = tuple(entry.header.id for entry in (await store.list_sessions()).sessions)
        return await _timed(partial(store.read_titles, ids))


async def _candidates(store: SessionStore, count: int) -> None:
    resolver = SessionReferenceResolver(store, limits=Limits())
    most = {10_000: 0.005, 100_000: 0.040}.get(count)
    with store.followed():
        await store.refresh()
        for query in QUERIES:
            ask = partial(resolver.list_candidates, Target(None, CWD), query)
            await ask()
            times = [await _timed(ask) for _ in range(15)]
            middle = percentile(times, 0.5)
            goal = f"<= {most * 1e3:.0f} ms" if most else ""
            met = middle <= most if most else None
            row(f"  candidates for {query!r}", milliseconds(middle), goal, met=met)


async def _typing(root: Path, count: int) -> None:
    """Candidates at hand, asked for every 15 ms while all titles are being read.

    The first list waits for the titles of its rows, the first query makes the candidates of the
    store, and one waits until all titles are known: each happens once, and is told on its own.
    """
    garbage.settle()  # as the server does
    store = SessionStore(root)
    resolver = SessionReferenceResolver(store, limits=Limits())
    times: list[float] = []
    last = math.nan
    with store.followed():
        await store.refresh()
        async with anyio.create_task_group() as group:
            done = anyio.Event()

            async def warm() -> None:
                await store.warm(lambda _done, _total: None, cwd=CWD)
                done.set()

            group.start_soon(warm)
            while not done.is_set():
                for query in QUERIES:
                    start = time.perf_counter()
                    found = await resolver.candidates_at_hand(Target(None, CWD), query)
                    took = time.perf_counter() - start
                    if query and not found.incomplete and math.isnan(last):
                        last = took
                    else:
                        times.append(took)
                    await anyio.sleep(0.015)
    once, times = [*times[:2], last], times[2:]
    row("  first list, first query, first with all titles", ", ".join(map(milliseconds, once)))
    late = percentile(times, 0.99)
    goal = ("<= 30 ms", late <= 0.030) if count >= 10_000 else ("", None)
    value = f"{milliseconds(late)} of {len(times)}, median {milliseconds(percentile(times, 0.5))}"
    row("  candidates while indexing, 99 of 100", value, goal[0], met=goal[1])
