"""Diagnostics of the present version only, pulled or pushed, following the store."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from lsprotocol import types

from dsh_lsp.core.checks.diagnosis import diagnose
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.uri import encode
from dsh_lsp.server import diagnostics as module
from dsh_lsp.server import judge
from dsh_lsp.server.client import Client
from dsh_lsp.server.diagnostics import Diagnostics, Outlet
from dsh_lsp.server.state import State
from tests.support.fake_query import FakeQuery, make_surface
from tests.support.scenes import URI, make_state, open_document, two_sessions

PULLING = Client(pulls_diagnostics=True, refreshes_diagnostics=True)
PUSHED = Client()

A = f"@[Alpha]({encode('a')})"
NOBODY = f"@[x]({encode('nobody')})"


class Editor:
    """An editor that sees diagnostics."""

    def __init__(self, client: Client, query: FakeQuery | None = None, **more: Any) -> None:
        self.query = query or two_sessions()
        self.state: State = make_state(self.query, client=client, **more)
        self.published: list[types.PublishDiagnosticsParams] = []
        self.refreshed = 0
        self.diagnostics = Diagnostics(self.state, Outlet(self.published.append, self._refresh))

    async def _refresh(self) -> None:
        self.refreshed += 1

    def type(self, text: str, version: int = 1) -> None:
        open_document(self.state, text, version=version)
        self.diagnostics.changed(URI)

    async def pull(self, previous: str | None = None) -> types.DocumentDiagnosticReport:
        return await self.diagnostics.pull(self.state.documents[URI], previous)

    async def pause(self) -> None:
        await asyncio.sleep(0.05)

    def codes(self) -> list[list[object]]:
        return [[each.code for each in params.diagnostics] for params in self.published]


class SlowQuery(FakeQuery):
    """Reads only when `go` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def read_surface(self, session_id: str):
        await self.go.wait()
        return await super().read_surface(session_id)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 10.0)
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(module, "JOIN_SECONDS", 0.001)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pull hardly waits for the sources."""
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.02)


def run(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 10))


def full(report: types.DocumentDiagnosticReport) -> types.RelatedFullDocumentDiagnosticReport:
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return report


def test_a_pull_tells_all_and_nothing_twice() -> None:
    async def story() -> None:
        editor = Editor(PULLING)
        editor.type(f"{A} {NOBODY}")
        first = full(await editor.pull())
        assert [each.code for each in first.items] == ["SESSION_REFERENCE_READ_FAILED"]
        again = await editor.pull(first.result_id)
        assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
        editor.type(f"more {A} {NOBODY}", 2)
        moved = full(await editor.pull(first.result_id))
        assert moved.result_id != first.result_id
        editor.type(f"more {A} {NOBODY} and after", 3)
        assert not isinstance(
            await editor.pull(moved.result_id), types.RelatedFullDocumentDiagnosticReport
        )
        assert editor.published == []

    run(story)


def test_a_diagnostic_says_everything() -> None:
    async def story() -> None:
        editor = Editor(Client(pulls_diagnostics=True))  # without refreshes a pull waits for all
        editor.type(f"😀 @[Old]({encode('a')}) {A}")
        stale, duplicate = full(await editor.pull()).items
        assert stale.source == "dsh"
        assert stale.code == "stale-label"
        assert stale.severity == types.DiagnosticSeverity.Hint
        assert (stale.range.start.character, stale.range.end.character) == (5, 8)
        assert stale.code_description is not None
        assert stale.code_description.href.endswith("/docs/diagnostics.md#stale-label")
        assert stale.data == {"fixes": ["Change the label to Alpha"]}
        assert duplicate.tags == [types.DiagnosticTag.Unnecessary]
        assert duplicate.related_information is not None
        assert duplicate.related_information[0].location.uri == URI

    run(story)


@pytest.mark.usefixtures("impatient")
def test_slow_sources_do_not_hold_a_pull_and_come_with_a_refresh() -> None:
    async def story() -> None:
        slow = SlowQuery()
        editor = Editor(PULLING, slow)
        editor.type(f"{NOBODY} @[x](dsh-session:bad=)")
        early = full(await editor.pull())
        assert [each.code for each in early.items] == ["SESSION_REFERENCE_INVALID_REFERENCE"]
        slow.go.set()
        while not editor.refreshed:
            await editor.pause()
        assert len(full(await editor.pull(early.result_id)).items) == 2

    run(story)


def test_a_client_without_refresh_waits_for_everything() -> None:
    async def story() -> None:
        slow = SlowQuery()
        editor = Editor(Client(pulls_diagnostics=True), slow)
        editor.type(NOBODY)
        pull = asyncio.ensure_future(editor.pull())
        await editor.pause()
        assert not pull.done()
        slow.go.set()
        assert len(full(await pull).items) == 1

    run(story)


def test_pushes_tell_the_prompts_own_problems_first() -> None:
    async def story() -> None:
        slow = SlowQuery()
        editor = Editor(PUSHED, slow)
        editor.type(f"{NOBODY} @[x](dsh-session:bad=)")
        await editor.pause()
        assert editor.codes() == [["SESSION_REFERENCE_INVALID_REFERENCE"]]
        slow.go.set()
        await editor.pause()
        assert editor.codes()[1:] == [
            ["SESSION_REFERENCE_READ_FAILED", "SESSION_REFERENCE_INVALID_REFERENCE"]
        ]
        assert [params.version for params in editor.published] == [1, 1]

    run(story)


def test_only_the_newest_version_is_published() -> None:
    async def story() -> None:
        slow = SlowQuery()
        editor = Editor(PUSHED, slow)
        for version in range(1, 6):
            editor.type(f"{'x' * version} {NOBODY}", version)
        await editor.pause()
        slow.go.set()
        await editor.pause()
        assert {params.version for params in editor.published} == {5}
        editor.type("fine", 6)
        await editor.pause()
        assert editor.published[-1].diagnostics == []
        assert editor.published[-1].version == 6

    run(story)


def test_known_sources_do_not_flicker_while_typing() -> None:
    async def story() -> None:
        editor = Editor(PUSHED)
        editor.type(NOBODY)
        await editor.pause()
        editor.type(f"x {NOBODY}", 2)
        await editor.pause()
        assert len(editor.codes()) > 2
        assert [] not in editor.codes()[1:]

    run(story)


@pytest.mark.parametrize("client", [PULLING, PUSHED], ids=["pull", "push"])
def test_open_documents_follow_the_store(client: Client) -> None:
    async def story() -> None:
        editor = Editor(client)
        editor.type(NOBODY)
        if client is PULLING:
            await editor.pull()
        await editor.pause()
        editor.diagnostics.sessions_changed()
        await editor.pause()
        before = (editor.refreshed, len(editor.published))
        assert before[0] == 0  # nothing new, so nothing is asked for
        editor.query.surfaces["nobody"] = make_surface("nobody", "hi", title="x")
        editor.diagnostics.sessions_changed()
        await editor.pause()
        if client is PULLING:
            assert editor.refreshed == 1
            assert full(await editor.pull()).items == []
        else:
            assert editor.codes()[-1] == []

    run(story)


@pytest.mark.parametrize("client", [PULLING, PUSHED], ids=["pull", "push"])
def test_changes_without_an_end_do_not_put_a_check_off(client: Client) -> None:
    async def story() -> None:
        editor = Editor(client)
        editor.type(NOBODY)
        if client is PULLING:
            await editor.pull()
        await editor.pause()
        editor.query.surfaces["nobody"] = make_surface("nobody", "hi", title="x")
        for _ in range(1_000):
            editor.diagnostics.sessions_changed()
            if editor.refreshed or editor.codes()[-1:] == [[]]:
                break
            await asyncio.sleep(0.0005)
        assert editor.refreshed == (1 if client is PULLING else 0)
        assert client is PULLING or editor.codes()[-1] == []

    run(story)


def test_a_closed_document_shows_nothing() -> None:
    async def story() -> None:
        editor = Editor(PUSHED)
        editor.type(NOBODY)
        await editor.pause()
        editor.state.forget(URI)
        editor.diagnostics.closed(URI)
        await editor.pause()
        assert editor.published[-1].diagnostics == []
        editor.diagnostics.closed("file:///never/opened")

    run(story)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({}, 2),
        ({"diagnostics": {"staleLabel": False}}, 1),
        ({"diagnostics": {"staleLabel": False, "duplicate": False}}, 0),
        ({"diagnostics": {"enabled": False}}, 0),
    ],
)
def test_checks_can_be_switched_off(settings: dict[str, Any], count: int) -> None:
    async def story() -> None:
        editor = Editor(PULLING, settings=settings)
        editor.type(f"@[Old]({encode('a')}) {A}")
        assert len(full(await editor.pull()).items) == count

    run(story)


class Judged:
    """Counts how often problems are looked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        monkeypatch.setattr(judge, "diagnose", self._diagnose)

    def _diagnose(self, *args: Any, **more: Any) -> tuple[Problem, ...]:
        self.count += 1
        return diagnose(*args, **more)


@pytest.mark.parametrize("client", [PULLING, PUSHED], ids=["pull", "push"])
def test_problems_are_looked_for_again_only_when_something_changed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = Judged(monkeypatch)

    async def story() -> None:
        editor = Editor(client)

        async def look() -> int:
            before = judged.count
            if client is PULLING:
                await editor.pull()
            await editor.pause()
            return judged.count - before

        editor.type(f"{A} {NOBODY}")
        await look()
        editor.type(f"{A} {NOBODY} more", 2)
        assert await look() == 1
        for number in range(20):  # a burst that touches no session of the prompt
            editor.query.surfaces[f"s{number}"] = make_surface(f"s{number}", "x")
            editor.query.surfaces["b"] = make_surface("b", f"{number}", title="Beta")
            editor.diagnostics.sessions_changed()
            await asyncio.sleep(0.002)
        assert await look() == 0
        editor.diagnostics.recheck()
        assert await look() == 0
        await editor.diagnostics.problems(editor.state.documents[URI])  # as a hover does
        assert await look() == 0
        editor.query.surfaces["a"] = make_surface("a", "another text", title="Alpha")
        editor.diagnostics.sessions_changed()
        assert await look() == 1
        await editor.state.configure({"diagnostics": {"duplicate": False}})
        editor.diagnostics.recheck()
        assert await look() == 1

    run(story)


def test_an_unchanged_prompt_is_answered_by_its_result_id(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = Judged(monkeypatch)

    async def story() -> None:
        editor = Editor(PULLING)
        editor.type(f"{A} {NOBODY}")
        first = full(await editor.pull())
        for _ in range(5):
            again = await editor.pull(first.result_id)
            assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
            assert again.result_id == first.result_id
        assert judged.count == 1

    run(story)


def test_a_failed_read_that_fails_alike_again_is_nothing_new(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged = Judged(monkeypatch)

    async def story() -> None:
        editor = Editor(PULLING)
        editor.query.surfaces["a"] = ReadFailedError("cut short", ReadFault.CORRUPT)
        editor.type(A)
        await editor.pull()
        editor.query.surfaces["a"] = ReadFailedError("cut short", ReadFault.CORRUPT)
        await editor.pull()
        assert judged.count == 1
        editor.query.surfaces["a"] = ReadFailedError("cut shorter", ReadFault.CORRUPT)
        (problem,) = full(await editor.pull()).items
        assert problem.message.endswith("cut shorter")

    run(story)


@pytest.mark.usefixtures("impatient")
def test_a_check_that_the_editor_did_not_wait_for_is_held_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[str] = []

    async def endless(*_: object) -> None:
        try:
            await asyncio.get_running_loop().create_future()  # which nobody else refers to
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        except GeneratorExit:
            ended.append("lost")
            raise

    monkeypatch.setattr(judge, "gather", endless)

    async def story() -> None:
        editor = Editor(PULLING)
        editor.type(A)
        await editor.pull()
        gc.collect()
        assert ended == []
        editor.diagnostics.stop()
        await editor.pause()
        assert ended == ["cancelled"]

    run(story)


@pytest.mark.usefixtures("impatient")
def test_that_a_late_check_failed_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def failing(*_: object) -> None:
        await asyncio.sleep(0.04)
        raise OSError("of a private text")

    monkeypatch.setattr(judge, "gather", failing)

    async def story() -> None:
        editor = Editor(PULLING)
        editor.type(A)
        assert full(await editor.pull()).items == []
        while not caplog.records:
            await editor.pause()
        assert [each.getMessage() for each in caplog.records] == ["a check failed with OSError"]
        assert editor.refreshed == 0

    run(story)


@pytest.mark.usefixtures("impatient")
def test_a_cancelled_pull_leaves_nothing_running() -> None:
    async def story() -> None:
        slow = SlowQuery()
        editor = Editor(PULLING, slow)
        editor.type(NOBODY)
        with anyio.move_on_after(0.005):
            await editor.pull()
        editor.diagnostics.stop()
        await editor.pause()
        assert len(asyncio.all_tasks()) <= 2  # this story, and its timeout

    run(story)
