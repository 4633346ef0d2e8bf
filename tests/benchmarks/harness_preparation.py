"""The preparation of a mention by a real host, and by us, of the same log."""

from __future__ import annotations

import itertools
import statistics
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio

from dsh_lsp.core.limits import Limits
from dsh_lsp.core.measure import Measurements
from dsh_lsp.core.mentions import Reference, format_mention
from dsh_lsp.core.prepare import prepare
from dsh_lsp.sessions.store import SessionStore
from tests.benchmarks.big_logs import LARGE, TALK, Proportions, Writer, Written
from tests.benchmarks.log_pens import Pen
from tests.benchmarks.logs import decompress
from tests.benchmarks.measuring import median, milliseconds, row
from tests.support.hosts import Host, running_host
from tests.support.hosts_logs import await_turn, entry, eventually, records, snapshot
from tests.support.hosts_releases import NO_TITLES, Release
from tests.support.hosts_snapshots import BUDGETS, our_quote, recorded_quote
from tests.support.hosts_wire import HostCaller

GOAL = 100
AGAIN = 0.005
OUR_TIMES = 5
PLAIN_PROMPTS = 5
PATIENCE = 600.0
"""Seconds that a host's preparation may take."""

_KEYS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Case:
    """A log of `size` MiB, and how often the host prepares it."""

    what: str
    size: int
    proportions: Proportions
    times: int
    remark: str = ""


CASES = (
    Case("half of it results of tools", 60, LARGE, times=3),
    Case(
        "talk alone",
        40,
        TALK,
        times=1,
        remark="not 60 and once, since the host's time grows with the square: minutes for 60",
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt whose turn has ended; `sent` is the Unix time before its POST, in seconds."""

    prompt: str
    request: str
    sent: float


class Asker:
    """Sends prompts to a session of a host, the first of which is not counted."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._caller = HostCaller(host)
        self.session = self._caller.create()
        self.ask("To begin with")

    def ask(self, text: str) -> Asked:
        """Send a prompt, and wait for the end of its turn."""
        key = f"(prompt {next(_KEYS)})"
        prompt = f"{key} {text}"
        sent = time.time()
        request = self._caller.prompt(self.session, prompt)
        # The log is not read before the model was asked, so as not to take the host's processors.
        eventually(partial(self.host.model.seen, key), f"the model is asked {key}", PATIENCE)
        reason = await_turn(self.host, self.session, request)
        assert reason == {"kind": "completed"}, reason
        return Asked(prompt, request, sent)

    def until_message(self, asked: Asked) -> float:
        """Seconds from the POST until the prompt itself was recorded, by the host's own time."""
        record = entry(records(self.host, self.session), asked.request)
        assert record is not None, "the host recorded no message"
        return float(record["time"] / 1_000 - asked.sent)

    def until_snapshot(self, asked: Asked) -> float:
        """The same for the snapshot that follows it."""
        record = snapshot(records(self.host, self.session), asked.request)
        assert record is not None, "the host recorded no snapshot"
        return float(record["time"] / 1_000 - asked.sent)


def compare_preparation(release: Release, pen: type[Pen], folder: Path) -> None:
    """Print the rows of each case."""
    sessions = folder / "home" / "sessions"
    logs = [_log(sessions, pen, case) for case in CASES]
    print("  (preparation by the host: from the POST of a prompt with a mention to the time of the")
    print("  snapshot in its log, less the same for the message of a prompt without a mention)")
    with running_host(release, folder, NO_TITLES) as host:
        asker = Asker(host)
        plain = [asker.until_message(asker.ask("No mention")) for _ in range(PLAIN_PROMPTS)]
        base = statistics.median(plain)
        row("  prompt without a mention, POST to message", milliseconds(base))
        for case, log in zip(CASES, logs, strict=True):
            _compare(asker, base, case, log)


def _log(sessions: Path, pen: type[Pen], case: Case) -> Written:
    size, cwd = case.size << 20, str(sessions.parent)
    return Writer(pen=pen).log(sessions, f"log-{case.size}", 1_000, cwd, size, case.proportions)


def _compare(asker: Asker, base: float, case: Case, log: Written) -> None:
    print(f"  {case.size} MiB, {case.what}: {log.size:,} bytes in {log.frames:,} frames")
    if case.remark:
        print(f"  ({case.remark})")
    mention = format_mention(log.session_id, log.title)
    asked = [asker.ask(f"Use {mention}") for _ in range(case.times)]
    theirs = statistics.median(map(asker.until_snapshot, asked)) - base
    facts = _same_snapshot(asker, asked[-1])
    row("  by the host", milliseconds(theirs), facts)
    budget = BUDGETS[asker.host.release.log_format]
    reference = Reference(log.session_id, log.title)
    first, again = anyio.run(_ours, asker.host.home / "sessions", reference, budget)
    ratio = theirs / first
    met = ratio >= GOAL
    row("  by us, first time", milliseconds(first), f"{ratio:,.0f}x, >= {GOAL}x", met=met)
    goal = f"{theirs / again:,.0f}x, <= {AGAIN * 1e3:.0f} ms"
    row("  by us, again", milliseconds(again), goal, met=again <= AGAIN)
    plain = median(partial(decompress, log.path))
    row("  decompressing the log, nothing more", milliseconds(plain), f"{theirs / plain:,.0f}x")


def _same_snapshot(asker: Asker, asked: Asked) -> str:
    """Facts of the snapshot that both made; fails when they made different ones."""
    host = asker.host
    budget = BUDGETS[host.release.log_format]
    ours = anyio.run(our_quote, host, asker.session, asked.prompt, budget)
    theirs = recorded_quote(host, asker.session, asked.request)
    assert ours == theirs, "the snapshots differ"
    (facts,) = theirs.references
    return (
        f"keeps {facts['retainedMessages']:,} of {facts['originalMessages']:,} messages, "
        f"{len(theirs.json.encode()):,} bytes, equal to ours"
    )


async def _ours(store: Path, reference: Reference, budget: int) -> tuple[float, float]:
    """Seconds for a message with the log, as the server prepares it: for the first time, again."""
    limits, session_id = Limits(max_reference_bytes=budget), reference.session_id
    first: list[float] = []
    again: list[float] = []
    for _ in range(OUR_TIMES):
        sessions, measurements = SessionStore(store), Measurements()
        await sessions.list_sessions()
        for times in (first, again):
            start = time.perf_counter()
            surface = await sessions.read_surface(session_id)
            sources = {session_id: surface}
            prepare("", [reference], sources, limits, measure=measurements.measure)
            times.append(time.perf_counter() - start)
    return statistics.median(first), statistics.median(again)
