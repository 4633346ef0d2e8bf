"""The line that tells a terminal how far the reading of titles is."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import anyio
import anyio.lowlevel
import pytest

from dsh_lsp.cli import title_progress
from dsh_lsp.cli.title_progress import with_progress
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions.query import KnownTitles, SessionTitle

pytestmark = pytest.mark.anyio

IDS = [f"s{number}" for number in range(2_992)]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Screen(io.StringIO):
    """A terminal, or something else."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


class Source:
    """Knows more titles each time that it is asked; the reading ends with the third."""

    def __init__(self) -> None:
        self.counts = [0, 999, 1_455]
        self.asked = 0
        self.read = anyio.Event()

    async def known_titles(self, session_ids: Sequence[str]) -> KnownTitles:
        count = self.counts[min(self.asked, 2)]
        self.asked += 1
        if self.asked > len(self.counts):
            self.read.set()
        return KnownTitles(dict.fromkeys(session_ids[:count], SessionTitle("t")), complete=False)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(title_progress, "RENEWAL", 0.0)


def after(screen: Screen) -> str:
    """The line that is left when a terminal has obeyed every carriage return."""
    line = ""
    for part in screen.getvalue().split("\r"):
        line = part + line[len(part) :]
    return line


async def test_it_is_rewritten_in_place_and_leaves_nothing() -> None:
    source, screen = Source(), Screen(is_terminal=True)

    async def read() -> str:
        await source.read.wait()
        return "found"

    assert await with_progress(read, source, IDS, screen, 0.0) == "found"
    told = re.findall(r"reading titles: ([\d,]+) of 2,992", screen.getvalue())
    assert told[:3] == ["0", "999", "1,455"]
    assert "\n" not in screen.getvalue()
    assert after(screen).strip() == ""


async def test_a_reading_that_fails_raises_its_own_error_and_leaves_nothing() -> None:
    source, screen = Source(), Screen(is_terminal=True)

    async def read() -> str:
        await source.read.wait()
        raise ReadFailedError("gone", ReadFault.UNREADABLE)

    with pytest.raises(ReadFailedError, match="gone"):
        await with_progress(read, source, IDS, screen, 0.0)
    assert "reading titles" in screen.getvalue()
    assert after(screen).strip() == ""


async def test_nothing_is_told_of_a_short_reading() -> None:
    source, screen = Source(), Screen(is_terminal=True)

    async def read() -> str:
        await anyio.lowlevel.checkpoint()
        return "found"

    assert await with_progress(read, source, IDS, screen, 60.0) == "found"
    assert (screen.getvalue(), source.asked) == ("", 0)


async def test_nothing_is_told_to_what_is_no_terminal() -> None:
    source, screen = Source(), Screen(is_terminal=False)

    async def read() -> str:
        for _ in range(10):
            await anyio.lowlevel.checkpoint()
        return "found"

    assert await with_progress(read, source, IDS, screen, 0.0) == "found"
    assert (screen.getvalue(), source.asked) == ("", 0)
