"""One open prompt as an editor shows it: completion rows, and what is marked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.client import Client

STEP = 0.01
LIMIT = 30.0
"""Seconds between two looks, and until something that does not come counts as missing."""

TYPED = "@zebra"
"""What is being typed in the second line."""

PUSHED: Mapping[str, Any] = {}
PULLED: Mapping[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
"""Capabilities of editors that get diagnostics in either way."""


class OpenPrompt:
    """Whatever the server says on its own is taken at each look."""

    def __init__(self, client: Client, folder: Path, capabilities: Mapping[str, Any]) -> None:
        self.rows: frozenset[str] = frozenset()
        self.marks: frozenset[str] = frozenset()
        self.told = 0
        self._client = client
        self._uri = (folder / "prompt.md").as_uri()
        self._pulls = capabilities is PULLED
        self._version = 1
        client.initialize(capabilities)
        client.open(self._uri, "")

    def write(self, first_line: str) -> None:
        """Replace the text."""
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        changes = [{"text": f"{first_line}\n{TYPED}"}]
        self._client.tell(
            "textDocument/didChange", {"textDocument": document, "contentChanges": changes}
        )
        if self._pulls:
            self._pull()

    def complete(self, characters: int = len(TYPED)) -> None:
        """Ask for rows behind so many characters of what is typed."""
        found = self._client.complete(self._uri, 1, characters)
        self.rows = frozenset(item["label"] for item in found)

    def look(self) -> None:
        """Take what came; `told` counts what had to do with diagnostics."""
        for news in self._client.news():
            if news.method == "textDocument/publishDiagnostics":
                self.told += 1
                self._mark(news.params["diagnostics"])
            elif news.method == "workspace/diagnostic/refresh":
                self.told += 1
                self._pull()

    def until(self, *signs: Callable[[], bool]) -> list[float]:
        """Seconds from now until each sign is seen for the first time."""
        begin = time.perf_counter()
        seen: dict[int, float] = {}
        while len(seen) < len(signs):
            self.complete()
            self.look()
            now = time.perf_counter() - begin
            for number, sign in enumerate(signs):
                if number not in seen and sign():
                    seen[number] = now
            assert now < LIMIT, f"seen after {LIMIT:.0f} s: {seen} of {len(signs)}"
            time.sleep(STEP)
        return [seen[number] for number in range(len(signs))]

    def _pull(self) -> None:
        params = {"textDocument": {"uri": self._uri}}
        self._mark(self._client.ask("textDocument/diagnostic", params)["items"])

    def _mark(self, diagnostics: list[Any]) -> None:
        self.marks = frozenset(each["code"] for each in diagnostics)
