"""From the start of the process to the first answers, against a bare pygls server; its memory."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.big_logs import Writer
from tests.benchmarks.measuring import milliseconds, row

OURS = (sys.executable, "-m", "dsh_lsp", "serve")
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


class _Client:
    """Asks and waits, one thing at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def ask(self, number: int, method: str, params: Any) -> Any:
        """The result of a request."""
        self.tell(method, params, number)
        while (answer := self._read()).get("id") != number or "method" in answer:
            pass
        return answer["result"]

    def tell(self, method: str, params: Any, number: int | None = None) -> None:
        """A notification, or the request of that number."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else message | {"id": number}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self._process.stdout.read(length))


@contextmanager
def _started(
    command: Sequence[str], home: Path
) -> Iterator[tuple[subprocess.Popen[bytes], _Client]]:
    environ = {
        **os.environ,
        "HOME": str(home),
        "DSH_HOME": str(home),
        "DSH_WEB_URL": "http://127.0.0.1:9",
        **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "STATE")},
    }
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as process:
        client = _Client(process)
        yield process, client
        client.ask(99, "shutdown", None)
        client.tell("exit", None)


def _open(client: _Client, home: Path) -> None:
    uri = (home / "prompt.md").as_uri()
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "see @"}
    client.tell("initialized", {})
    client.tell("textDocument/didOpen", {"textDocument": item})


def _complete(client: _Client, home: Path, number: int) -> None:
    uri = (home / "prompt.md").as_uri()
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}}
    found = client.ask(number, "textDocument/completion", place)
    assert found["items"] if isinstance(found, dict) else found


def _answers(command: Sequence[str], home: Path) -> tuple[float, float]:
    """Seconds from the start of the process to two answers."""
    begin = time.perf_counter()
    with _started(command, home) as (_, client):
        client.ask(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        initialized = time.perf_counter() - begin
        _open(client, home)
        _complete(client, home, 2)
        return initialized, time.perf_counter() - begin


def _memory(home: Path) -> int | None:
    """Resident bytes of a server that has read all there is to read."""
    with _started(OURS, home) as (process, client):
        client.ask(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        _open(client, home)
        spent = 0.0
        for number in range(2, 60):
            _complete(client, home, number)
            time.sleep(0.5)
            now = _processor_seconds(process.pid)
            if now is None or now - spent < 0.02:
                break
            spent = now
        try:
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        except OSError:
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")


def _processor_seconds(pid: int) -> float | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
