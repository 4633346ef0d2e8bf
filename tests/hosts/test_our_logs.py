"""Logs of the embedded harness in front of the real 0.2.1 host: read, referenced, continued."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from dsh_lsp.core.log.event_types import STRICT_0_2_1
from dsh_lsp.harness.port import Mode
from dsh_lsp.sessions.store import SessionStore
from tests.support.embedded import Failing, Held, bench, mention
from tests.support.hosts import Host, running_host
from tests.support.hosts_logs import await_turn, entry, records
from tests.support.hosts_releases import NEWER, NO_TITLES
from tests.support.hosts_snapshots import BUDGETS, Quoted, assert_same_quote
from tests.support.hosts_wire import HostCaller

BUDGET = BUDGETS[NEWER.log_format]


@dataclass(frozen=True)
class Written:
    """A store of ours, and the sessions in it by what happened in them."""

    sessions: Path
    ids: Mapping[str, str]


async def write_store(root: Path, cwd: str) -> Written:
    """One session for each thing that the embedded harness can record."""
    ids: dict[str, str] = {}
    async with bench(root) as desk:
        ids["plain"] = await desk.session("Hello", "And <again> 🎉 \u2028 \x07 \ud800", cwd=cwd)
        ids["citing"] = await desk.session(
            f"Look at {mention(ids['plain'], 'the [plain] one')}", cwd=cwd
        )
        ids["compacted"] = await desk.session("One", "Two", "Three", cwd=cwd)
        assert await desk.harness.compact(ids["compacted"], "What was <said>.") > 0
        await desk.ask(ids["compacted"], "Four")
        ids["compacted twice"] = await desk.session("One", "Two", "Three", cwd=cwd)
        assert await desk.harness.compact(ids["compacted twice"]) > 0
        await desk.ask(ids["compacted twice"], "Four")
        assert await desk.harness.compact(ids["compacted twice"], "All of it.") > 0
        ids["renamed"] = await desk.session("Hello", cwd=cwd)
        await desk.harness.rename(ids["renamed"], "A name by hand")
        ids["refused"] = await desk.session("See @[x](dsh-session:!!!)", "Then better", cwd=cwd)
        ids["blank"] = await desk.session(cwd=cwd)
    async with bench(root) as desk:
        await desk.ask(ids["renamed"], "After a resume")
    async with bench(root, responder=Failing(RuntimeError("no model"))) as desk:
        ids["failed"] = await desk.session("Nobody answers", cwd=cwd)
    held = Held()
    async with bench(root, responder=held) as desk:
        ids["interrupted"] = await desk.session(cwd=cwd)
        await desk.send(ids["interrupted"], "Never answered")
        await held.entered()
    async with bench(root / "crashed", responder=held) as desk:
        ids["crashed"] = await desk.session(cwd=cwd)
        await desk.send(ids["crashed"], "Cut short")
        await held.entered()
        await desk.send(ids["crashed"], "Queued behind it")
        await desk.send(ids["crashed"], "Steered into it", Mode.STEER)
        # As a crash leaves it: the turn is open, and two messages wait.
        shutil.copytree(root / "crashed" / "sessions", root / "sessions", dirs_exist_ok=True)
    return Written(root / "sessions", ids)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def written(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> Written:
    root = tmp_path_factory.mktemp("ours")
    (root / "project").mkdir()  # the host runs no turn in a folder that is gone
    return await write_store(root, str(root / "project"))


@pytest.fixture(scope="module")
def reader(written: Written, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A real host whose store began as a copy of ours."""
    root = tmp_path_factory.mktemp("reader")
    with running_host(NEWER, root, NO_TITLES, sessions=written.sessions) as host:
        yield host


KINDS = (
    *("plain", "citing", "compacted", "compacted twice", "renamed"),
    *("refused", "blank", "failed", "interrupted", "crashed"),
)


def test_every_session_is_listed(reader: Host, written: Written) -> None:
    rows = HostCaller(reader).list_sessions()
    assert set(rows) >= set(written.ids.values())
    assert all(rows[each]["formatStatus"] == "current" for each in written.ids.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_is_opened(kind: str, reader: Host, written: Written) -> None:
    address = {"kind": "session", "sessionId": written.ids[kind]}
    page = HostCaller(reader).call(
        "session/page", {"args": {"request": {"address": address, "throughSeq": 0}}}
    )
    assert [record["event"]["seq"] for record in page["records"]] == [0]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "blank"])
@pytest.mark.anyio
async def test_a_session_is_referenced_and_continued(
    kind: str, reader: Host, written: Written
) -> None:
    session, caller = written.ids[kind], HostCaller(reader)
    target = caller.create()
    prompt = f"Use {mention(session, f'our {kind}')}"
    before = await assert_same_quote(reader, target, prompt, BUDGET)

    request = caller.prompt(session, "Go on")
    assert await_turn(reader, session, request) == {"kind": "completed"}
    assert entry(records(reader, session), request) is not None
    after = await assert_same_quote(reader, target, prompt, BUDGET)
    assert isinstance(after, Quoted)
    assert "Go on" in after.json
    assert after != before


@pytest.mark.anyio
async def test_titles_of_ours_are_offered(reader: Host, written: Written) -> None:
    caller = HostCaller(reader)
    titles = await SessionStore(written.sessions, rule=STRICT_0_2_1).read_titles(
        list(written.ids.values())
    )
    await_turn(reader, written.ids["plain"], caller.prompt(written.ids["plain"], "Wake up"))
    rows = {row["sessionId"]: row for row in caller.candidates(caller.create())}
    assert rows[written.ids["plain"]]["label"] == titles[written.ids["plain"]].title
