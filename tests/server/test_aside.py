"""Long prompts are read and judged beside the event loop, and questions wait for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
from lsprotocol import types

from dsh_lsp.core.checks.diagnosis import diagnose
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.prompt import parse_prompt
from dsh_lsp.core.text import Unit
from dsh_lsp.server import documents as module
from dsh_lsp.server import judge
from dsh_lsp.server.aside import Aside
from dsh_lsp.server.client import Client
from dsh_lsp.server.diagnostics import Diagnostics, Outlet
from dsh_lsp.server.documents import Change, Document, changed
from dsh_lsp.server.server import Server
from tests.support.scenes import URI, make_state, open_document

BAD = "@[x](dsh-session:bad=) "
LONG = BAD * (module.LONG // len(BAD) + 1)


class Reader:
    """Reads prompts as the real reader does, when it is let to, and notes in which threads."""

    def __init__(self) -> None:
        self.threads: list[bool] = []  # whether each was the event loop's
        self.may_read = threading.Event()
        self.may_read.set()
        self.reading = threading.Event()  # set while a thread reads

    def read(self, text: str, earlier: object) -> object:
        main = threading.current_thread() is threading.main_thread()
        self.threads.append(main)
        self.reading.set()
        assert main or self.may_read.wait(10)
        return parse_prompt(text)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    made = Reader()
    monkeypatch.setattr(module, "parse_prompt", made.read)
    return made


def run(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 20))


async def turns() -> None:
    """Everything that is ready to run has run."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_one_work_after_the_other_and_none_that_nobody_waits_for() -> None:
    async def story() -> None:
        aside, go = Aside(), threading.Event()
        done: list[str] = []

        def work(name: str) -> None:
            assert go.wait(10)
            done.append(name)

        tasks = [
            asyncio.ensure_future(aside.run(partial(work, name)))
            for name in ("first", "second", "third")
        ]
        await turns()
        for task in tasks[:2]:
            task.cancel()
        await turns()
        assert done == []
        go.set()
        await tasks[2]
        assert done == ["first", "third"]
        aside.close()

    run(story)


@pytest.mark.parametrize(("text", "main"), [(BAD, True), (LONG, False)])
def test_only_a_long_prompt_is_read_and_judged_in_a_thread(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, text: str, *, main: bool
) -> None:
    judged: list[bool] = []

    def judging(*given: Any, **more: Any) -> tuple[Problem, ...]:
        judged.append(threading.current_thread() is threading.main_thread())
        return diagnose(*given, **more)

    monkeypatch.setattr(judge, "diagnose", judging)

    async def story() -> None:
        state = make_state(client=Client(pulls_diagnostics=True))
        diagnostics = Diagnostics(state, Outlet(lambda _: None, lambda: asyncio.sleep(0)))
        document = open_document(state, text)
        report = await diagnostics.pull(document, None)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        assert report.items[0].code == "SESSION_REFERENCE_INVALID_REFERENCE"
        await diagnostics.pull(document, None)
        assert (reader.threads, judged) == ([main], [main])
        state.aside.close()

    run(story)


def test_a_question_waits_until_the_newest_version_has_been_read(reader: Reader) -> None:
    async def story() -> None:
        connection = Server(lambda _settings: make_state().services).connection
        state = connection.state

        def ask(_: object) -> tuple[int, int]:
            document = state.documents[URI]
            return document.version, len(document.prompt.mentions)

        open_document(state, BAD)
        assert connection.when_ready(ask, None) == (1, 1)
        document = open_document(state, LONG)
        reader.may_read.clear()
        reader.reading.clear()
        answer = asyncio.ensure_future(connection.when_ready(ask, None))
        assert await asyncio.to_thread(reader.reading.wait, 10)
        newest = changed(document, 2, [Change(BAD, (0, 0), (0, 0))], state.client.unit)
        state.documents[URI] = newest
        await turns()
        assert reader.threads == [True, False]
        assert not answer.done()
        reader.may_read.set()
        assert await answer == (2, LONG.count("@") + 1)
        assert reader.threads == [True, False, False]
        assert connection.when_ready(ask, None) == (2, LONG.count("@") + 1)
        state.aside.close()

    run(story)


@pytest.mark.parametrize(("about", "waits"), [("file:///other.md", False), (URI, True)])
def test_a_question_about_another_document_does_not_wait(about: str, *, waits: bool) -> None:
    async def story() -> None:
        connection = Server(lambda _settings: make_state().services).connection
        open_document(connection.state, LONG)
        place = types.TextDocumentIdentifier(about)
        question = types.HoverParams(place, types.Position(0, 0))
        answer = connection.when_ready(lambda _: "answered", question)
        assert (answer == "answered") is not waits
        if waits:
            assert await answer == "answered"
        connection.state.aside.close()

    run(story)


def test_a_document_is_read_once() -> None:
    document = Document(URI, 1, BAD)
    unread = changed(document, 2, [], Unit.UTF16)
    assert (document.known_prompt, unread.earlier) == (None, None)
    prompt = document.prompt
    assert document.prompt is prompt
    assert document.known_prompt is prompt
    assert changed(document, 2, [], Unit.UTF16).earlier is prompt
