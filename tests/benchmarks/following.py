"""How soon an editor sees what a host does to the store, and what a burst of changes costs."""

from __future__ import annotations

import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.big_logs import Writer
from tests.benchmarks.changing_log import ChangingLog
from tests.benchmarks.client import OURS, Client, processor_seconds, started
from tests.benchmarks.measuring import milliseconds, percentile, row
from tests.benchmarks.open_prompt import PULLED, PUSHED, TYPED, OpenPrompt

COUNTS = (1_000, 10_000)
LOG_BYTES = 4_000
TRIALS = 10
DEAF = (sys.executable, "-m", "tests.benchmarks.deaf_server")
SETTINGS: Sequence[tuple[str, Sequence[str], Mapping[str, Any], float | None]] = (
    ("watched, diagnostics pushed", OURS, PUSHED, 0.3),
    ("watched, diagnostics pulled", OURS, PULLED, 0.3),
    ("polled, diagnostics pushed", DEAF, PUSHED, None),
)

Signs = Mapping[str, Callable[[], bool]]
"""What an editor shows once it has seen something, by what a row of the output is called."""

BURST = 200
KEY_SECONDS = 0.015
UNREADABLE, TRUNCATED, STALE = "SESSION_REFERENCE_READ_FAILED", "session-truncated", "stale-label"


def run(folder: Path) -> None:
    """Print the rows."""
    for count in COUNTS:
        home = folder / str(count)
        print(f"  (writing {count:,} sessions)", flush=True)
        Writer().store(home / "sessions", count, LOG_BYTES)
        for what, command, capabilities, goal in SETTINGS:
            print(f"{count:,} sessions, {what}")
            with _editing(command, home, capabilities) as (client, prompt):
                _changes(prompt, home / "sessions", goal)
                _burst(client, prompt, home / "sessions", goal)


@contextmanager
def _editing(
    command: Sequence[str], home: Path, capabilities: Mapping[str, Any]
) -> Iterator[tuple[Client, OpenPrompt]]:
    with started(command, home) as client:
        prompt = OpenPrompt(client, home / "project", capabilities)
        prompt.write("")
        _rest(client)
        yield client, prompt


def _rest(client: Client) -> None:
    """Wait until the server has nothing to do, in the first place to read titles."""
    spent, rests = 0.0, 0
    while rests < 3:
        time.sleep(0.5)
        now = processor_seconds(client.pid) or spent
        rests = rests + 1 if now - spent < 0.1 else 0
        spent = now


def _changes(prompt: OpenPrompt, root: Path, goal: float | None) -> None:
    chance = random.Random(1)
    times: dict[str, list[float]] = {}
    for number in range(TRIALS):
        log = ChangingLog(root, f"zebra-{number}", f"zebra {number}")
        prompt.write(f"see {log.mention}")
        prompt.until(lambda: UNREADABLE in prompt.marks)
        for change, signs in _life(log, prompt):
            time.sleep(0.4 + chance.random())  # at no certain moment of a pause or a tick
            change()
            for name, seconds in zip(signs, prompt.until(*signs.values()), strict=True):
                times.setdefault(name, []).append(seconds)
    for name, found in times.items():
        _seen(name, found, goal)


def _life(log: ChangingLog, prompt: OpenPrompt) -> Iterator[tuple[Callable[[], None], Signs]]:
    """Each thing that happens to a session, and the signs of it."""
    title, other = log.title, f"{log.title} renamed"
    yield (
        log.appear,
        {
            "new session, row": lambda: title in prompt.rows,
            "new session, mark gone": lambda: UNREADABLE not in prompt.marks,
        },
    )
    yield partial(log.grow, 200_000), {"log grows, mark": lambda: TRUNCATED in prompt.marks}
    yield (
        partial(log.rename, other),
        {
            "renamed, row": lambda: other in prompt.rows,
            "renamed, mark": lambda: STALE in prompt.marks,
        },
    )
    yield (
        log.vanish,
        {
            "removed, row gone": lambda: other not in prompt.rows,
            "removed, mark": lambda: UNREADABLE in prompt.marks,
        },
    )


def _seen(name: str, times: list[float], goal: float | None) -> None:
    value = f"{milliseconds(statistics.median(times))}, worst {milliseconds(max(times))}"
    text = f"<= {goal * 1e3:.0f} ms" if goal else ""
    row(f"  {name}", value, text, met=max(times) <= goal if goal else None)


def _burst(client: Client, prompt: OpenPrompt, root: Path, goal: float | None) -> None:
    """Many logs grow within a second, the first of them so that a mark appears."""
    logs = [ChangingLog(root, f"burst-{number}", f"zebra {number}") for number in range(BURST)]
    for log in logs:
        log.appear()
    prompt.write(f"see {logs[0].mention}")
    prompt.until(lambda: UNREADABLE not in prompt.marks)
    _rest(client)
    prompt.look()
    calm, _ = _type(prompt, time.perf_counter() + 1.5)
    told = prompt.told
    begin = time.perf_counter()
    growing = threading.Thread(target=_grow, args=(logs, begin))
    growing.start()
    times, marked = _type(prompt, begin + 3)
    growing.join()
    _seen("burst of 200 logs in a second, mark of the first", [marked - begin], goal)
    row("  the same, times that diagnostics were told", str(prompt.told - told))
    late, rest = percentile(times, 0.99), percentile(calm, 0.99)
    value = f"{milliseconds(late)} of {len(times)}; else {milliseconds(rest)}"
    row("  the same, completion, 99 of 100", value, "<= 30 ms", met=late <= 0.030)
    for log in logs:
        log.vanish()


def _grow(logs: Sequence[ChangingLog], begin: float) -> None:
    for number, log in enumerate(logs):
        time.sleep(max(0.0, begin + number / len(logs) - time.perf_counter()))
        log.grow(200_000 if number == 0 else 100)


def _type(prompt: OpenPrompt, end: float) -> tuple[list[float], float]:
    """How long each key waits for its rows, and when the mark of a long session came."""
    times: list[float] = []
    marked = float("inf")
    while (begin := time.perf_counter()) < end:
        prompt.complete(1 + len(times) % len(TYPED))
        now = time.perf_counter()
        times.append(now - begin)
        prompt.look()
        if TRUNCATED in prompt.marks:
            marked = min(marked, time.perf_counter())
        time.sleep(KEY_SECONDS)
    return times, marked
