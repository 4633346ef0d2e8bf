"""News of several sources: one that fails costs the others nothing, and comes back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator

import pytest

from dsh_lsp import app_changes
from dsh_lsp.app_changes import together

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Source:
    """Tells what is put into it; an exception is raised."""

    def __init__(self) -> None:
        self.begun = 0
        self.running = 0
        self.items: asyncio.Queue[str | Exception] = asyncio.Queue()

    async def changes(self) -> AsyncGenerator[object, None]:
        self.begun += 1
        self.running += 1
        try:
            while True:
                item = await self.items.get()
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            self.running -= 1


async def test_a_source_that_fails_is_logged_and_the_others_go_on(caplog):
    broken, sound = Source(), Source()
    news = together(broken.changes, sound.changes)
    broken.items.put_nowait(OSError("of a private /path"))
    sound.items.put_nowait("one")
    with caplog.at_level(logging.WARNING):
        assert await anext(news) == "one"
        sound.items.put_nowait("two")
        assert await anext(news) == "two"
    assert [record.getMessage() for record in caplog.records] == [
        "watching sessions failed with OSError; it begins again"
    ]
    await news.aclose()
    assert (broken.begun, sound.begun) == (1, 1)


async def test_a_source_that_failed_begins_again_and_tells_that_something_may_have_changed(
    monkeypatch,
):
    monkeypatch.setattr(app_changes, "AGAIN_SECONDS", 0.001)
    broken = Source()
    news = together(broken.changes)
    broken.items.put_nowait(OSError())
    assert await anext(news) is None
    broken.items.put_nowait("back")
    assert await anext(news) == "back"
    assert broken.begun == 2
    await news.aclose()


async def test_sources_end_with_the_stream():
    one, other = Source(), Source()
    news = together(one.changes, other.changes)
    one.items.put_nowait("x")
    await anext(news)
    assert (one.running, other.running) == (1, 1)
    await news.aclose()
    for _ in range(10):
        await asyncio.sleep(0)
    assert (one.running, other.running) == (0, 0)
