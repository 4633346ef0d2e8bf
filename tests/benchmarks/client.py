"""The client of a server process: asks and waits, and notes when what it did not ask for came."""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OURS = (sys.executable, "-m", "dsh_lsp", "serve")
PATIENCE = 60.0
"""Seconds after which an answer counts as missing."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class News:
    """A notification or a request of the server, and when it came (of `time.perf_counter`)."""

    time: float
    method: str
    params: Any


class Client:
    """Talks to one server. Its requests are answered with null, when their news are taken."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._numbers = itertools.count(1)
        self._came: queue.SimpleQueue[tuple[float, Json]] = queue.SimpleQueue()
        self._news: list[News] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def initialize(self, capabilities: Mapping[str, Any]) -> None:
        """Begin; returns with the answer."""
        params = {"processId": None, "rootUri": None, "capabilities": capabilities}
        self.ask("initialize", params)

    def open(self, uri: str, text: str) -> None:
        """Say that the client is ready and has a document open."""
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        self.tell("initialized", {})
        self.tell("textDocument/didOpen", {"textDocument": item})

    def complete(self, uri: str, line: int, character: int) -> list[Json]:
        """The rows at a place."""
        place = {"line": line, "character": character}
        params = {"textDocument": {"uri": uri}, "position": place}
        found = self.ask("textDocument/completion", params)
        return list(found["items"] if isinstance(found, dict) else found)

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request."""
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        while True:
            time_of, message = self._came.get(timeout=PATIENCE)
            if "method" in message:
                self._take(time_of, message)
            elif message["id"] == number:
                return message["result"]

    def tell(self, method: str, params: Any) -> None:
        """A notification."""
        self._send({"method": method, "params": params})

    def news(self) -> list[News]:
        """What came since the last call. Does not wait."""
        while not self._came.empty():
            self._take(*self._came.get())
        news, self._news = self._news, []
        return news

    def end(self) -> None:
        """Shut the server down."""
        self.ask("shutdown", None)
        self.tell("exit", None)

    def _take(self, time_of: float, message: Json) -> None:
        self._news.append(News(time_of, message["method"], message.get("params")))
        if "id" in message:
            self._send({"id": message["id"], "result": None})

    def _send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            elif not line.strip():
                message = json.loads(stream.read(length))
                self._came.put((time.perf_counter(), message))


@contextmanager
def started(command: Sequence[str], home: Path) -> Iterator[Client]:
    """A client of a fresh server, for which `home` is the user's and the harness's home."""
    environ = {
        # An installed program has its modules compiled, whatever this shell says of it.
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "HOME": str(home),
        "DSH_HOME": str(home),
        "DSH_WEB_URL": "http://127.0.0.1:9",
        **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "STATE")},
    }
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as process:
        client = Client(process)
        try:
            yield client
            client.end()
        except BaseException:
            process.kill()  # else the end of its output would be waited for
            raise


def processor_seconds(pid: int) -> float | None:
    """What a process has spent of the processors, where the system tells."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
