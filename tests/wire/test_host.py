"""The harness over scripted hosts of every version: what it sends, and what it never asks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.harness.port import (
    FoundFile,
    Harness,
    HarnessError,
    HostCandidate,
    Mode,
    NoHarnessError,
    OutcomeUnknownError,
    Outgoing,
    ReceiptState,
    UnknownSessionError,
)
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.connection import Connection
from dsh_lsp.harness.wire.cookies import CookieStore, Login
from dsh_lsp.harness.wire.discover import Place
from dsh_lsp.harness.wire.errors import (
    ColdSessionError,
    CommandLineError,
    LoginNeededError,
    RefusedError,
)
from dsh_lsp.harness.wire.finder import Finder
from dsh_lsp.harness.wire.host import HostHarness
from dsh_lsp.harness.wire.http import Bounds
from tests.support.fake_wires import COOKIE, PROMPTS, FakeHost
from tests.support.scripted_host import (
    Asked,
    ScriptedHost,
    hang,
    refused,
    response,
    scripted_host,
    value,
)

pytestmark = pytest.mark.anyio

VERSIONS = ["0.1.0", "0.1.2", "0.1.5", "0.2.1"]

PROMPT = Outgoing("request-1", "s", "hello \U0001f600 <b> \ud800", Mode.STEER, "Europe/Berlin")


@pytest.fixture(params=VERSIONS)
def fake(request: pytest.FixtureRequest) -> FakeHost:
    host = FakeHost(request.param)
    host.logs["s"] = [event(0)]
    host.rows = [row("s")]
    return host


def event(seq: int, kind: str = "turn/start", data: Any = None) -> dict[str, Any]:
    return {"type": kind, "seq": seq, "time": 1000 + seq, "data": data or {"turn": 1}}


def row(session_id: str, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": 5, "running": False, **more}


@contextlib.asynccontextmanager
async def harness_of(
    fake: FakeHost, tmp_path: Path
) -> AsyncIterator[tuple[HostHarness, ScriptedHost]]:
    async with scripted_host(fake) as host:
        address = read_address(host.url)
        store = CookieStore(tmp_path)
        store.put(address, Login(COOKIE, 1e12))
        harness = HostHarness(Connection(Finder(lambda: [Place(address, "a test")], store).find))
        try:
            yield harness, host
        finally:
            await harness.aclose()


async def test_it_is_a_harness(fake: FakeHost, tmp_path: Path) -> None:
    async with harness_of(fake, tmp_path) as (harness, host):
        port: Harness = harness
        description = await port.describe()
        assert description.name == f"dsh web at {host.url}"
        assert description.version.startswith(fake.version)
        session_id = await port.create_session("/w")
        assert await port.has_session(session_id)
        assert not await port.has_session("nobody")


async def test_a_prompt(fake: FakeHost, tmp_path: Path) -> None:
    async with harness_of(fake, tmp_path) as (harness, _):
        await harness.send(PROMPT)
    assert fake.prompts == [
        {
            "requestId": "request-1",
            "sessionId": "s",
            "mode": "steer",
            "content": [{"type": "text", "text": PROMPT.text}],
            "clientTimeZone": "Europe/Berlin",
        }
    ]


async def test_a_prompt_without_a_time_zone(fake: FakeHost, tmp_path: Path) -> None:
    async with harness_of(fake, tmp_path) as (harness, _):
        await harness.send(Outgoing("r", "s", "x", Mode.QUEUE))
    assert "clientTimeZone" not in fake.prompts[0]
    assert fake.prompts[0]["mode"] == "queue"


COMMANDS = ["/compact", "/compact now", "\n /goal\nx", "/a-b_c9", "/x"]
TEXTS = ["/etc/passwd is odd", "// a comment", "/", "/ x", "/3d", "see /compact", "/compact.", "/é"]


@pytest.mark.parametrize("text", COMMANDS)
async def test_slash_commands_are_refused_before_anything_is_sent(
    text: str, tmp_path: Path
) -> None:
    fake = FakeHost("0.2.1")
    async with harness_of(fake, tmp_path) as (harness, host):
        with pytest.raises(CommandLineError, match="as text"):
            await harness.send(Outgoing("r", "s", text, Mode.QUEUE))
        assert host.asked == []


@pytest.mark.parametrize("text", TEXTS)
async def test_other_texts_are_sent(text: str, tmp_path: Path) -> None:
    fake = FakeHost("0.2.1")
    fake.logs["s"] = []
    async with harness_of(fake, tmp_path) as (harness, _):
        await harness.send(Outgoing("r", "s", text, Mode.QUEUE))
    assert len(fake.prompts) == 1


UNKNOWN = [
    pytest.param(lambda _: None, id="closed"),
    pytest.param(lambda _: response(500), id="500"),
    pytest.param(lambda _: response(200, b"<html>"), id="garbage"),
    pytest.param(lambda _: response(200, b"{}"), id="another shape"),
    pytest.param(lambda _: b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{", id="cut"),
    pytest.param(lambda asked: refused(asked, "gateway/internal"), id="internal"),
    pytest.param(lambda asked: refused(asked, "brand-new-code"), id="unknown code"),
]


@pytest.mark.parametrize("answer", UNKNOWN)
async def test_an_unclear_answer_is_an_unknown_outcome(
    fake: FakeHost, tmp_path: Path, answer: Any
) -> None:
    fake.answers = dict.fromkeys(PROMPTS, answer)
    async with harness_of(fake, tmp_path) as (harness, host):
        with pytest.raises(OutcomeUnknownError, match="may have been accepted"):
            await harness.send(PROMPT)
        assert len([name for name in host.names if name in PROMPTS]) == 1  # never sent again


async def test_a_host_that_hangs_is_an_unknown_outcome(
    fake: FakeHost, tmp_path: Path, monkeypatch
) -> None:
    fake.answers = dict.fromkeys(PROMPTS, hang)
    async with harness_of(fake, tmp_path) as (harness, _):
        await harness.describe()
        for module in ("api_proxy", "remote"):
            monkeypatch.setattr(f"dsh_lsp.harness.wire.{module}.SLOW", Bounds(0.2, 1000))
        with pytest.raises(OutcomeUnknownError):
            await harness.send(PROMPT)


REFUSED = [
    ("session-not-found", UnknownSessionError),
    ("session/not-found", UnknownSessionError),
    ("session/agent-busy", RefusedError),
    ("invalid-time-zone", RefusedError),
]


@pytest.mark.parametrize(("code", "kind"), REFUSED)
async def test_a_clear_refusal_is_one(
    fake: FakeHost, tmp_path: Path, code: str, kind: type[HarnessError]
) -> None:
    fake.answers = dict.fromkeys(PROMPTS, lambda asked: refused(asked, code, "its words"))
    async with harness_of(fake, tmp_path) as (harness, _):
        with pytest.raises(kind, match="its words") as error:
            await harness.send(PROMPT)
        assert not isinstance(error.value, OutcomeUnknownError)


async def test_a_host_that_is_gone_was_sent_nothing(tmp_path: Path) -> None:
    fake = FakeHost("0.1.0")
    fake.logs["s"] = []
    async with harness_of(fake, tmp_path) as (harness, _):
        await harness.describe()
    with pytest.raises(NoHarnessError) as error:
        await harness.send(PROMPT)
    assert not isinstance(error.value, OutcomeUnknownError)


async def test_a_host_that_answers_nothing_is_none(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.harness.wire.probe.PROBE", Bounds(0.2, 1000))
    fake = FakeHost("0.2.1")
    async with harness_of(fake, tmp_path) as (harness, host):
        host.script = hang
        with pytest.raises(NoHarnessError, match="did not answer"):
            await harness.describe()


async def test_an_expired_login_is_asked_for_again(tmp_path: Path) -> None:
    fake = FakeHost("0.2.1")
    fake.logs["s"] = []
    async with harness_of(fake, tmp_path) as (harness, host):
        await harness.describe()
        host.script = lambda _: response(401, b"dsh web authentication required")
        with pytest.raises(LoginNeededError, match="dsh-lsp login"):
            await harness.send(PROMPT)
        with pytest.raises(LoginNeededError):
            await harness.describe()
        host.script = fake
        await harness.send(PROMPT)
    assert len(fake.prompts) == 1


WAKING = {
    *("sessionReferenceResolver/candidates", "fileReferences/list", "commands/list"),
    *("session.rename", "session/rename", "session/updateQueue", "session.updateQueue"),
    *("session/prompt", "session.prompt", "session/cancel", "session.cancel"),
}


async def test_a_cold_session_is_never_opened_by_looking(fake: FakeHost, tmp_path: Path) -> None:
    fake.attached = 1
    async with harness_of(fake, tmp_path) as (harness, host):
        assert await harness.has_session("s")
        await harness.find_request("s", "r")
        await harness.history("s", None, 10)
        await harness.session_rows()
        await harness.cancel("s")
        for ask in (harness.candidates("s", ""), harness.files("s", "")):
            with pytest.raises(ColdSessionError, match="not open"):
                await ask
        assert await harness.resolves_references() is True
        asked = [each for each in host.asked if each.name in WAKING]
        assert [each.envelope["payload"] for each in asked] == [{"args": {}}]  # names no session


def make_live(fake: FakeHost) -> None:
    fake.attached = 1
    fake.rows = [row("s", running=True, projections={"kind": "sequenced", "values": {}})]


async def test_a_live_session_may_be_asked(fake: FakeHost, tmp_path: Path) -> None:
    make_live(fake)
    async with harness_of(fake, tmp_path) as (harness, host):
        assert await harness.candidates("s", "q") == (HostCandidate("a", "A"),)
        assert await harness.files("s", "") == (FoundFile("src", True),)
        await harness.cancel("s")
        assert {"session.cancel", "session/cancel"} & set(host.names)
        assert await harness.rename("s", "x") == "renamed"


async def test_a_host_without_the_service_is_recognised(fake: FakeHost, tmp_path: Path) -> None:
    fake.answers["sessionReferenceResolver/candidates"] = response(404, b"not found")
    async with harness_of(fake, tmp_path) as (harness, _):
        assert await harness.resolves_references() is False
        fake.answers["sessionReferenceResolver/candidates"] = response(500, b"failed")
        assert await harness.resolves_references() is None


async def test_what_we_opened_is_open_until_the_host_is_another(tmp_path: Path) -> None:
    fake = FakeHost("0.1.0")
    fake.logs["s"] = []
    fake.rows = [row("s")]
    fake.attached = 1
    async with harness_of(fake, tmp_path) as (harness, _):
        await harness.send(PROMPT)
        assert await harness.candidates("s", "")
        fake.attached = 0  # it was started again
        with pytest.raises(ColdSessionError):
            await harness.candidates("s", "")


def spliced(seq: int, *requests: str, removed: int = 0) -> dict[str, Any]:
    inserted = [{"id": f"m-{name}", "source": {"kind": "user", "rpcId": name}} for name in requests]
    data = {"target": "next-turn", "start": 0, "removedCount": removed, "inserted": inserted}
    return event(seq, "agent/inbox/spliced", data)


def message(seq: int, source: dict[str, Any]) -> dict[str, Any]:
    return event(seq, "user/message", {"id": f"m{seq}", "source": source, "content": []})


async def test_receipts(fake: FakeHost, tmp_path: Path) -> None:
    log = fake.logs["s"]
    log += [event(seq) for seq in range(1, 40)]
    async with harness_of(fake, tmp_path) as (harness, _):
        with pytest.raises(HarnessError, match="no trace"):
            await harness.receipt("s", "a")
        log.append(spliced(40, "a"))
        waiting = await harness.receipt("s", "a")
        assert (waiting.state, waiting.place) == (ReceiptState.QUEUED, 1)
        assert "before the next one" in (waiting.reason or "")
        fake.rows = [row("s", running=True)]
        assert (await harness.receipt("s", "a")).reason is None
        log.append(spliced(41, removed=1))
        assert (await harness.receipt("s", "a")).state is ReceiptState.WAITING
        log.append(message(42, {"kind": "user", "rpcId": "a"}))
        source = {"kind": "session-reference", "references": [{"sessionId": "x"}]}
        log.append(message(43, source))
        log += [event(seq) for seq in range(44, 99)]
        captured = await harness.receipt("s", "a")
        assert (captured.state, captured.message_seq) == (ReceiptState.CAPTURED, 42)
        assert captured.references == ({"sessionId": "x"},)
        log += [spliced(99, "b"), spliced(100, removed=1)]
        log.append(event(101, "turn/end", {"reason": {"kind": "error", "error": {"message": "w"}}}))
        ended = await harness.receipt("s", "b")
        assert (ended.state, ended.reason) == (ReceiptState.ENDED, "w")
        assert (await harness.find_request("s", "a", since=0)).copies == 2
        with pytest.raises(UnknownSessionError):
            await harness.receipt("nobody", "a")


async def test_a_history_that_does_not_go_back_ends(tmp_path: Path) -> None:
    fake = FakeHost("0.1.0")
    fake.answers["session.history"] = lambda asked: value(
        asked, {"events": [{"event": event(50)}], "hasMore": True}
    )
    async with harness_of(fake, tmp_path) as (harness, _):
        with pytest.raises(HarnessError, match="does not go back"):
            await harness.find_request("s", "a")


async def test_a_page_that_is_too_large_is_asked_for_in_parts(tmp_path: Path, monkeypatch) -> None:
    fake = FakeHost("0.1.0")
    fake.logs["s"] = [event(seq, data={"filling": "x" * 300}) for seq in range(64)]
    async with harness_of(fake, tmp_path) as (harness, host):
        await harness.describe()
        monkeypatch.setattr("dsh_lsp.harness.wire.api_proxy.LARGE", Bounds(5.0, 4000))
        page = await harness.history("s", None, 64)
        assert 0 < len(page.records) < 16
        assert page.more
        pages = [each.envelope["payload"] for each in host.asked if each.name == "session.history"]
        assert [page["maxMessages"] for page in pages] == [64, 16, 4]


FAULTS = [
    (lambda asked: refused(asked, "session-not-found"), ReadFault.NOT_FOUND),
    (lambda asked: refused(asked, "internal", "corrupt"), ReadFault.CORRUPT),
    (lambda _: response(200, b"x"), ReadFault.UNREADABLE),
    (lambda _: None, ReadFault.UNREADABLE),
]


@pytest.mark.parametrize(("answer", "reason"), FAULTS, ids=range(len(FAULTS)))
async def test_faults_of_reading(tmp_path: Path, answer: Any, reason: ReadFault) -> None:
    fake = FakeHost("0.1.0")
    fake.answers["session.history"] = answer
    async with harness_of(fake, tmp_path) as (harness, _):
        with pytest.raises(ReadFailedError) as error:
            await harness.history("s", None, 4)
        assert error.value.reason is reason


async def test_without_a_host_it_is_told_where_one_was_looked_for(tmp_path: Path) -> None:
    place = Place(read_address("http://127.0.0.1:9"), "a test")
    harness = HostHarness(Connection(Finder(lambda: [place], CookieStore(tmp_path)).find))
    with pytest.raises(
        NoHarnessError, match=r"^No harness answers at http://127.0.0.1:9 \(a test\)$"
    ):
        await harness.send(PROMPT)
    with pytest.raises(ReadFailedError):
        await harness.session_rows()
    await harness.aclose()


async def test_the_failure_that_asks_something_of_the_user_is_told_first(tmp_path: Path) -> None:
    async with (
        scripted_host(lambda _: response(404)) as other,
        scripted_host(FakeHost("0.2.1")) as host,
    ):
        urls = ["http://127.0.0.1:9", other.url, host.url]
        places = [Place(read_address(url), "a test") for url in urls]
        finder = Finder(lambda: places, CookieStore(tmp_path))
        with pytest.raises(LoginNeededError, match=host.url):
            await finder.find()
        host.script = lambda _: response(500)
        with pytest.raises(HarnessError, match="failed inside"):
            await finder.find()


async def test_the_first_place_that_answers_is_taken(tmp_path: Path) -> None:
    async with (
        scripted_host(FakeHost("0.1.0")) as first,
        scripted_host(FakeHost("0.1.0")) as second,
    ):
        urls = ["http://127.0.0.1:9", first.url, second.url]
        finder = Finder(
            lambda: [Place(read_address(url), "a test") for url in urls], CookieStore(tmp_path)
        )
        wire = await finder.find()
        assert wire.address.url == first.url
        await wire.aclose()
        assert second.asked == []


async def test_two_questions_at_once_do_not_disturb_each_other(
    fake: FakeHost, tmp_path: Path
) -> None:
    make_live(fake)

    async def slowly(asked: Asked) -> bytes:
        await asyncio.sleep(0.05)
        return value(asked, [])

    fake.answers["fileReferences/list"] = slowly
    async with harness_of(fake, tmp_path) as (harness, _host):
        files, candidates, _ = await asyncio.gather(
            harness.files("s", ""), harness.candidates("s", ""), harness.send(PROMPT)
        )
    assert (list(files), list(candidates)) == ([], [HostCandidate("a", "A")])
