"""The candidates of a real host, asked for by HTTP, and those of our server, asked for by LSP."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from tests.benchmarks.big_logs import Writer, Written
from tests.benchmarks.client import OURS, Client, processor_seconds, started
from tests.benchmarks.log_pens import Pen
from tests.benchmarks.measuring import milliseconds, row
from tests.benchmarks.title_cache import write_titles
from tests.support.hosts import running_host
from tests.support.hosts_releases import NO_TITLES, Release, Wire
from tests.support.hosts_wire import HostCaller

LOG_BYTES = 16_000
GOAL = 500
OUR_TIMES = 15
PATIENCE = 600.0
"""Seconds that a host's answer may take."""

RESTING = 0.02
"""Seconds of a processor in half a second that a server at rest does not reach."""

T = TypeVar("T")


def compare_candidates(
    release: Release, pen: type[Pen], folder: Path, sessions: int, times: int
) -> None:
    """Print a row for each query. The host is asked each `times` times."""
    home = folder / "home"
    logs = Writer(pen=pen).store(home / "sessions", sessions, LOG_BYTES, home=str(folder))
    if release.wire is Wire.B:
        write_titles(home, logs)
    print(f"  {_facts(logs)}")
    with running_host(release, folder, NO_TITLES) as host, started(OURS, home) as client:
        caller = HostCaller(host, PATIENCE)
        target = caller.create(logs[3].cwd)
        caller.candidates(target)  # what a host does once after its start is not counted
        prompt = Prompt(client, (folder / "prompt.md").as_uri(), target)
        prompt.mentions("")
        _await_rest(client)
        for query in ("", _word(logs), "no such title anywhere"):
            rows, theirs = _timed(partial(caller.candidates, target, query), times)
            wanted = [each["mention"] for each in rows]
            found, ours = _timed(partial(prompt.mentions, query), OUR_TIMES)
            assert found == wanted, f"the candidates for {query!r} differ"
            ratio = theirs / ours
            row(
                f"  candidates for {query!r}, the same {len(wanted)}",
                f"{milliseconds(theirs)}, ours {milliseconds(ours)}",
                f"{ratio:,.0f}x, >= {GOAL}x",
                met=ratio >= GOAL,
            )


class Prompt:
    """A document for a session in an editor, in which mentions are completed."""

    def __init__(self, client: Client, uri: str, session_id: str) -> None:
        self._client = client
        self._uri = uri
        self._head = f"---\ndsh:\n  session: {session_id}\n---\n"
        self._version = 1
        client.initialize({})
        client.open(uri, self._head)

    def mentions(self, query: str) -> list[str]:
        """Type a query, and see what completion would put in its place, best first."""
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        changes = [{"text": f"{self._head}@[{query}"}]
        self._client.tell(
            "textDocument/didChange", {"textDocument": document, "contentChanges": changes}
        )
        line, character = self._head.count("\n"), len("@[") + len(query)
        found = self._client.complete(self._uri, line, character)
        found.sort(key=lambda item: item["sortText"])
        return [item["textEdit"]["newText"] for item in found]


def _await_rest(client: Client) -> None:
    """Return when the server has read ahead what there is to read."""
    spent = -1.0
    while (now := processor_seconds(client.pid) or 0.0) - spent > RESTING:
        spent = now
        time.sleep(0.5)


def _timed(ask: Callable[[], list[T]], times: int) -> tuple[list[T], float]:
    """The last answer, and the seconds of the median."""
    answer: list[T] = []
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        answer = ask()
        spent.append(time.perf_counter() - start)
    return answer, statistics.median(spent)


def _word(logs: Sequence[Written]) -> str:
    """A word of a title in the middle of the store."""
    return max(logs[len(logs) // 2].title.split(), key=len)


def _facts(logs: Sequence[Written]) -> str:
    size = sum(log.size for log in logs)
    frames = sum(log.frames for log in logs)
    stored = sum(log.path.stat().st_size for log in logs)
    return (
        f"{len(logs):,} sessions in {len({log.cwd for log in logs})} folders: {size:,} bytes in "
        f"{frames:,} frames, {stored:,} bytes on disk"
    )
