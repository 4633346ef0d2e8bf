"""Sessions of a host read from its pages: the same surface as from a log on disk."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.projection import project
from dsh_lsp.sessions.hosted import HistoryPage, HostRow, HostRows
from dsh_lsp.sessions.live import LiveSessions
from dsh_lsp.sessions.live_or_stored import LiveOrStored
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.store import SessionStore
from tests.support.log_script import Script
from tests.support.store_writer import write_log

pytestmark = pytest.mark.anyio

FORMATS = [0, 3, 4]


class FakeLogs:
    """A host over scripts. `messages` of a page are records here; `asked` notes every page."""

    def __init__(self, *scripts: Script, running: bool = False) -> None:
        self.scripts = {script.session_id: script for script in scripts}
        self.running = running
        self.fault: ReadFailedError | None = None
        self.asked: list[tuple[int | None, int]] = []
        self.lists = 0

    async def session_rows(self) -> HostRows:
        self.lists += 1
        if self.fault is not None:
            raise self.fault
        rows = tuple(self._row(script) for script in self.scripts.values())
        formats = [script.version for script in self.scripts.values()]
        return HostRows("the host", formats[0] if formats else 4, rows)

    async def history(self, session_id: str, through: int | None, messages: int) -> HistoryPage:
        self.asked.append((through, messages))
        if self.fault is not None:
            raise self.fault
        if session_id not in self.scripts:
            raise ReadFailedError("no such session", ReadFault.NOT_FOUND)
        records = self.scripts[session_id].events
        if through is not None:
            records = [each for each in records if first(each) <= through]
        page = records[-messages:]
        return HistoryPage(tuple(page), len(page) < len(records))

    def _row(self, script: Script) -> HostRow:
        cwd = script.header.get("cwd")
        title = f"Told {script.session_id}"
        row = HostRow(script.session_id, script.header["createdAt"], self.running, cwd=cwd)
        return replace(row, title=title, last_seq=script.seq - 1, context_window=7_000)


def first(record: dict[str, Any]) -> int:
    return int(record["seq0"] if "seq0" in record else record["seq"])


def conversation(session_id: str, version: int, turns: int = 12) -> Script:
    script = Script(session_id, version=version)
    script.policies()
    for turn in range(turns):
        script.begin(f"prompt {turn} \ud800 <\U0001f600>")
        script.answer(f"answer {turn} with words", *([f"call-{turn}"] if turn % 3 == 0 else []))
        if turn % 3 == 0:
            script.tool_call(f"call-{turn}")
            script.tool_result(f"call-{turn}", "output")
        script.end()
        if turn == 7:
            script.compact("what came before", keep_last=2)
    script.title("Folded")
    script.context(9_000)
    return script


async def stored(tmp_path: Path, script: Script) -> Surface:
    write_log(tmp_path, script)
    return await SessionStore(tmp_path).read_surface(script.session_id)


def content(surface: Surface) -> tuple[object, ...]:
    """What a snapshot is made of."""
    return (
        project(surface.nodes),
        [node["seq"] for node in surface.nodes],
        surface.captured_through_seq,
        surface.title,
        surface.header.cwd,
        surface.context_window,
        surface.warnings,
    )


@pytest.mark.parametrize("version", FORMATS)
async def test_a_surface_by_pages_equals_the_stored_one(tmp_path: Path, version: int) -> None:
    script = conversation("s", version)
    logs = FakeLogs(script)
    live = await LiveSessions(logs).read_surface("s")
    assert content(live) == content(await stored(tmp_path, script))
    assert live.captured_format_version == version
    assert len(logs.asked) > 1


@pytest.mark.parametrize("version", FORMATS)
async def test_an_interrupted_turn_is_closed_and_a_running_one_is_not(
    tmp_path: Path, version: int
) -> None:
    script = conversation("s", version, turns=2)
    script.begin("open")
    script.answer("calls", "open-call")
    cold = await LiveSessions(FakeLogs(script)).read_surface("s")
    assert content(cold) == content(await stored(tmp_path, script))
    running = await LiveSessions(FakeLogs(script, running=True)).read_surface("s")
    assert running.captured_through_seq == script.seq - 1
    assert (
        cold.captured_through_seq == script.seq - 1 + 3
    )  # a result, and the ends of step and turn


@pytest.mark.parametrize("version", FORMATS)
async def test_only_what_is_new_is_read_again(tmp_path: Path, version: int) -> None:
    script = conversation("s", version, turns=30)
    logs = FakeLogs(script)
    sessions = LiveSessions(logs)
    await sessions.read_surface("s")
    whole = len(logs.asked)
    logs.asked.clear()
    again = await sessions.read_surface("s")
    assert logs.asked == [(None, 8)]
    script.exchange("one", "more")
    grown = await sessions.read_surface("s")
    assert len(logs.asked) - 1 < whole
    assert content(grown) == content(await stored(tmp_path, script))
    assert len(grown.nodes) == len(again.nodes) + 2


async def test_a_log_that_was_written_differently_is_read_whole(tmp_path: Path) -> None:
    first_log, other = conversation("s", 4, turns=3), conversation("s", 4, turns=20)
    other.batches[-1][-1]["time"] = 5
    logs = FakeLogs(first_log)
    sessions = LiveSessions(logs)
    await sessions.read_surface("s")
    for script in (other, first_log):
        logs.scripts["s"] = script
        surface = await sessions.read_surface("s")
        assert content(surface) == content(await stored(tmp_path / str(script.seq), script))


async def test_a_damaged_history_is_an_error() -> None:
    script = conversation("s", 4)
    script.events[20]["data"] = None
    script.batches[3][1]["surfaceOp"] = {"op": "replace", "startSeq": 9_999, "endSeq": 9_999}
    with pytest.raises(ReadFailedError) as error:
        await LiveSessions(FakeLogs(script)).read_surface("s")
    assert error.value.reason is ReadFault.CORRUPT


async def test_the_list_and_its_titles() -> None:
    older, newer = Script("a", version=4, created_at=1), Script("b", version=4, created_at=2)
    sessions = LiveSessions(FakeLogs(older, newer))
    listing = await sessions.list_sessions()
    assert [entry.header.id for entry in listing.sessions] == ["b", "a"]
    assert {entry.origin for entry in listing.sessions} == {"the host"}
    assert await sessions.list_sessions() is listing
    assert await sessions.read_titles(["a", "nobody"]) == {"a": SessionTitle("Told a")}
    known = await sessions.known_titles(["a"])
    assert known.complete
    assert known.titles["a"] == SessionTitle("Told a")
    assert (await sessions.known_titles(["a"])).titles is known.titles


async def test_a_session_made_since_the_list_is_found() -> None:
    logs = FakeLogs(conversation("a", 4, turns=1))
    sessions = LiveSessions(logs)
    await sessions.list_sessions()
    logs.scripts["b"] = conversation("b", 4, turns=1)
    assert (await sessions.read_surface("b")).header.id == "b"
    lists = logs.lists
    for _ in range(5):
        with pytest.raises(ReadFailedError) as error:
            await sessions.read_surface("c")
        assert error.value.reason is ReadFault.NOT_FOUND
    assert logs.lists == lists


async def test_a_host_that_fell_silent_is_said_beside_its_last_list(monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.sessions.refreshed.INTERVAL", 0.0)
    logs = FakeLogs(conversation("a", 4, turns=1))
    sessions = LiveSessions(logs)
    whole = await sessions.list_sessions()
    logs.fault = ReadFailedError("it is silent", ReadFault.UNREADABLE)
    with pytest.raises(ReadFailedError, match="silent"):
        await sessions.refresh()
    listing = await sessions.list_sessions()
    assert listing.sessions == whole.sessions
    assert [fault.message for fault in listing.faults] == ["it is silent"]
    with pytest.raises(ReadFailedError, match="silent"):
        await sessions.read_surface("a")
    logs.fault = None
    await sessions.refresh()
    assert (await sessions.list_sessions()).faults == ()


async def test_a_host_that_never_answered_lists_nothing() -> None:
    logs = FakeLogs()
    logs.fault = ReadFailedError("nobody there", ReadFault.UNREADABLE)
    sessions = LiveSessions(logs)
    for _ in range(10):
        with pytest.raises(ReadFailedError, match="nobody there"):
            await sessions.list_sessions()
    assert logs.lists == 1  # a keystroke does not ask a dead host again
    assert await sessions.read_titles(["a"]) == {}


async def test_a_slow_host_is_not_waited_for_beyond_the_patience() -> None:
    class Slow(FakeLogs):
        async def session_rows(self) -> HostRows:
            await asyncio.Event().wait()
            raise AssertionError

    sessions = LiveSessions(Slow(), patience=0.05)
    with pytest.raises(ReadFailedError, match="not answered yet"):
        await asyncio.wait_for(sessions.list_sessions(), 5)
    await sessions.aclose()


async def hosted(logs: FakeLogs, store: SessionStore) -> LiveOrStored:
    """Both together, once the host has answered."""
    live = LiveSessions(logs)
    await live.list_sessions()
    query = LiveOrStored(live, store)
    await query.list_sessions()
    return query


async def test_the_store_of_the_host_is_read_itself(tmp_path: Path) -> None:
    script, unlisted = conversation("s", 4, turns=2), conversation("old", 4, turns=1)
    write_log(tmp_path, script)
    write_log(tmp_path, unlisted)
    logs, store = FakeLogs(script), SessionStore(tmp_path)
    query = await hosted(logs, store)
    listing = await query.list_sessions()
    assert {entry.header.id for entry in listing.sessions} == {"s", "old"}
    assert (await query.read_titles(["s"]))["s"].title == "Folded"
    assert (await query.known_titles(["s"])).titles["s"].title == "Folded"
    assert (await query.read_surface("s")).title == "Folded"
    assert logs.asked == []
    assert await query.latest_context_window() == 7_000


async def test_a_host_with_the_same_store_is_seldom_asked(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.sessions.refreshed.INTERVAL", 0.0)
    monkeypatch.setattr("dsh_lsp.sessions.refreshed._SHARE", 0.0)
    monkeypatch.setattr("dsh_lsp.sessions.refreshed.AFTERWARDS", 0.0)
    script = conversation("s", 4, turns=1)
    write_log(tmp_path, script)
    logs, now = FakeLogs(script), [0.0]
    live = LiveSessions(logs)
    await live.list_sessions()
    query = LiveOrStored(live, SessionStore(tmp_path), clock=lambda: now[0])
    await query.list_sessions()
    await asyncio.sleep(0.05)
    asked = logs.lists
    for _ in range(20):
        assert len((await query.list_sessions()).sessions) == 1
        await asyncio.sleep(0)
    assert logs.lists == asked
    now[0] += 61.0
    await query.list_sessions()
    await asyncio.sleep(0.05)
    assert logs.lists > asked


async def test_a_running_session_is_read_from_the_host(tmp_path: Path) -> None:
    script = conversation("s", 4, turns=1)
    script.begin("open")
    write_log(tmp_path, script)
    logs = FakeLogs(script, running=True)
    query = await hosted(logs, SessionStore(tmp_path))
    assert (await query.read_surface("s")).captured_through_seq == script.seq - 1
    logs.fault = ReadFailedError("it died", ReadFault.UNREADABLE)
    assert (await query.read_surface("s")).captured_through_seq == script.seq + 1


async def test_a_host_with_another_store_is_read_by_its_pages(tmp_path: Path) -> None:
    theirs, ours = conversation("theirs", 4, turns=1), conversation("ours", 4, turns=1)
    write_log(tmp_path, ours)
    query = await hosted(FakeLogs(theirs), SessionStore(tmp_path))
    listing = await query.list_sessions()
    assert [entry.header.id for entry in listing.sessions] == ["theirs"]
    assert (await query.read_titles(["theirs"]))["theirs"].title == "Told theirs"
    assert (await query.read_surface("theirs")).title == "Folded"
    with pytest.raises(ReadFailedError):
        await query.read_surface("ours")  # a prompt to this host cannot mention it


async def test_without_a_host_the_store_alone_counts(tmp_path: Path) -> None:
    write_log(tmp_path, conversation("ours", 4, turns=1))
    logs = FakeLogs()
    logs.fault = ReadFailedError("nobody there", ReadFault.UNREADABLE)
    query = LiveOrStored(LiveSessions(logs), SessionStore(tmp_path))
    assert len((await query.list_sessions()).sessions) == 1
    with pytest.raises(ReadFailedError) as error:
        await query.read_surface("nobody")
    assert error.value.reason is ReadFault.NOT_FOUND
    assert "nobody there" not in error.value.message


async def test_a_host_without_sessions_says_nothing_of_its_store(tmp_path: Path) -> None:
    write_log(tmp_path, conversation("ours", 4, turns=1))
    query = await hosted(FakeLogs(), SessionStore(tmp_path))
    assert len((await query.list_sessions()).sessions) == 1


async def test_news_of_a_host_with_another_store_are_told(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.sessions.live_or_stored.POLL_SECONDS", 0.05)
    tmp_path.joinpath("empty").mkdir()
    logs = FakeLogs(conversation("theirs", 4, turns=1))
    query = LiveOrStored(LiveSessions(logs), SessionStore(tmp_path / "empty"))
    changes = query.changes()
    told = asyncio.ensure_future(anext(changes))
    await query.list_sessions()
    assert await asyncio.wait_for(told, 10) is None  # the host has answered, and stands alone
    told = asyncio.ensure_future(anext(changes))
    await asyncio.sleep(0.2)
    assert not told.done()
    logs.scripts["theirs"].exchange("a", "b")
    assert await asyncio.wait_for(told, 10) is None
