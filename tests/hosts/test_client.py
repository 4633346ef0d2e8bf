"""Our client in front of the real hosts of both wires."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random

import anyio.to_thread
import pytest

from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.projection import project
from dsh_lsp.harness.port import (
    HarnessError,
    Mode,
    ReceiptState,
    UnknownSessionError,
)
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.connection import Connection
from dsh_lsp.harness.wire.cookies import CookieStore, Login
from dsh_lsp.harness.wire.discover import Place
from dsh_lsp.harness.wire.entrance import enter
from dsh_lsp.harness.wire.errors import (
    ColdSessionError,
    CommandLineError,
    LoginNeededError,
    RefusedError,
)
from dsh_lsp.harness.wire.finder import Finder
from dsh_lsp.harness.wire.host import HostHarness
from dsh_lsp.harness.wire.whereabouts import Stage
from dsh_lsp.sessions.live import LiveSessions
from dsh_lsp.sessions.store import SessionStore
from tests.support.embedded import mention
from tests.support.hosts import Host
from tests.support.hosts_client import await_receipt, client, outgoing, until
from tests.support.hosts_logs import await_quiet
from tests.support.hosts_releases import MIDDLE, NO_TITLES, Release, Wire
from tests.support.hosts_talk import Talker
from tests.support.hosts_wire import HostCaller
from tests.support.mock_model_script import Hold, Say
from tests.support.random_talk import random_conversation
from tests.support.store_writer import tree

pytestmark = pytest.mark.anyio

StartHost = Callable[..., Host]


@pytest.fixture
async def harness(host: Host, tmp_path: Path) -> AsyncIterator[HostHarness]:
    async with client(host, tmp_path / "logins") as found:
        yield found


async def test_the_version_is_found_by_asking(host: Host, harness: HostHarness) -> None:
    described = await harness.describe()
    assert described.name == f"dsh web at {host.url}"
    expected = {Wire.A: "0.1.0 or 0.1.1", Wire.B: "0.2.1-rc.2"}
    assert described.version == expected[host.wire]


async def test_a_prompt_with_a_mention_is_captured(host: Host, harness: HostHarness) -> None:
    source = await harness.create_session(str(host.cwd))
    await harness.send(outgoing(source, "source-1", "What \U0001f600 <b> was said"))
    await await_receipt(harness, source, "source-1", ReceiptState.CAPTURED)
    await until(
        lambda: harness.find_request(source, "source-1"), lambda seen: seen.reason == "completed"
    )
    target = await harness.create_session(str(host.cwd))
    text = f"Use {mention(source, 'the source')}"
    await harness.send(outgoing(target, "target-1", text))
    captured = await await_receipt(harness, target, "target-1", ReceiptState.CAPTURED)
    (reference,) = captured.references
    assert (reference["sessionId"], reference["label"]) == (source, "the source")
    found = await harness.find_request(target, "target-1", since=0)
    assert (found.copies, found.message_seq) == (1, captured.message_seq)
    assert (await harness.find_request(target, "nothing")).stage is Stage.NOWHERE
    offered = await harness.candidates(target, "")
    assert source in {candidate.session_id for candidate in offered}
    assert await harness.resolves_references() is True
    (host.cwd / "seen.txt").write_text("x")
    assert "seen.txt" in {file.path for file in await harness.files(target, "seen")}
    assert await harness.rename(target, "  A \u202e new\nname ") == "A new name"


async def test_the_queue_has_places_and_a_turn_can_be_cancelled(
    host: Host, harness: HostHarness
) -> None:
    # 0.1.0 never ends a turn that is cancelled before the first word of an answer.
    host.model.rule("(held here)", Say("Half"), Hold("held here"), Say("Done."))
    session = await harness.create_session(str(host.cwd))
    await harness.send(outgoing(session, "first", "(held here) one"))
    await await_receipt(harness, session, "first", ReceiptState.CAPTURED)
    await harness.send(outgoing(session, "second", "two"))
    await harness.send(outgoing(session, "third", "three"))
    second = await harness.receipt(session, "second")
    third = await harness.receipt(session, "third")
    assert (second.state, second.place, second.reason) == (ReceiptState.QUEUED, 1, None)
    assert (third.state, third.place) == (ReceiptState.QUEUED, 2)
    await harness.send(outgoing(session, "steer", "now", Mode.STEER))
    steer = await harness.receipt(session, "steer")
    assert (steer.state, steer.place) == (ReceiptState.QUEUED, 1)
    assert (await harness.receipt(session, "third")).place == 3
    await harness.cancel(session)
    host.model.release("held here")
    await until(
        lambda: harness.find_request(session, "first"), lambda seen: seen.reason == "aborted"
    )


async def test_a_bad_mention_ends_the_prompt_and_says_why(host: Host, harness: HostHarness) -> None:
    session = await harness.create_session(str(host.cwd))
    await harness.send(outgoing(session, "bad", "See dsh-session:zzzz"))
    ended = await await_receipt(harness, session, "bad", ReceiptState.ENDED)
    assert "invalid session reference URI" in (ended.reason or "")


async def test_refusals(host: Host, harness: HostHarness) -> None:
    session = await harness.create_session(str(host.cwd))
    with pytest.raises(CommandLineError):
        await harness.send(outgoing(session, "r", "/compact"))
    with pytest.raises(UnknownSessionError):
        await harness.send(outgoing("nobody", "r", "x"))
    with pytest.raises(RefusedError) as refused:
        await harness.rename(session, "\u202e")
    assert refused.value.kind == "title-invalid"
    with pytest.raises(UnknownSessionError):
        await harness.receipt("nobody", "r")
    with pytest.raises(HarnessError, match="no trace"):
        await harness.receipt(session, "r")
    assert await harness.has_session(session)
    assert not await harness.has_session("nobody")


def told(surface: Surface) -> tuple[object, ...]:
    """What a snapshot is made of."""
    return (
        project(surface.nodes),
        [node["seq"] for node in surface.nodes],
        surface.captured_through_seq,
        surface.title,
        surface.header.cwd,
        surface.header.format_version,
        surface.context_window,
    )


async def compare(host: Host, harness: HostHarness, *sessions: str) -> None:
    """The surfaces by pages and from disk are the same."""
    live = LiveSessions(harness)
    store = SessionStore(host.home / "sessions")
    for session in sessions:
        by_pages = await live.read_surface(session)
        assert told(by_pages) == told(await store.read_surface(session))
    await live.aclose()


async def talk_and_compare(host: Host, folder: Path, seed: int, steps: int) -> None:
    """Random sessions, live and after a crash, read by pages and from disk."""
    random = Random(f"pages {host.version} {seed}")
    talker = Talker(host)

    def talk() -> list[str]:
        sessions = [talker.talk(random_conversation(random, steps, 3_000)) for _ in range(2)]
        for session in sessions:
            await_quiet(host, session)
        return sessions

    sessions = await anyio.to_thread.run_sync(talk)
    async with client(host, folder) as harness:
        await compare(host, harness, *sessions)
    await anyio.to_thread.run_sync(talker.leave_open, sessions[0])
    await anyio.to_thread.run_sync(host.crash)
    await anyio.to_thread.run_sync(host.start)
    before = tree(host.home / "sessions")
    async with client(host, folder) as harness:
        await compare(host, harness, *sessions)
        for session in sessions:
            assert await harness.has_session(session)
            await harness.find_request(session, "nothing")
            await harness.cancel(session)
            with pytest.raises(ColdSessionError):
                await harness.candidates(session, "")
            with pytest.raises(ColdSessionError):
                await harness.files(session, "")
    assert tree(host.home / "sessions") == before


async def test_pages_read_as_the_log_does_and_open_nothing(
    release: Release, start_host: StartHost, tmp_path: Path
) -> None:
    await talk_and_compare(start_host(release, NO_TITLES), tmp_path / "logins", 1, 5)


@pytest.mark.matrix
@pytest.mark.parametrize("seed", range(10))
async def test_pages_read_as_the_log_does_at_length(
    release: Release, start_host: StartHost, tmp_path: Path, seed: int
) -> None:
    await talk_and_compare(start_host(release, NO_TITLES), tmp_path / "logins", 100 + seed, 12)


@pytest.mark.matrix
async def test_0_1_2(start_host: StartHost, tmp_path: Path) -> None:
    host = start_host(MIDDLE)
    async with client(host, tmp_path / "logins") as harness:
        assert (await harness.describe()).version == "0.1.2"
        session = await harness.create_session(str(host.cwd))
        await harness.send(outgoing(session, "r", "Hello"))
        await await_receipt(harness, session, "r", ReceiptState.CAPTURED)
        assert await harness.resolves_references() is True
        assert not await harness.has_session("nobody")
    await talk_and_compare(host, tmp_path / "logins", 1, 5)


async def test_what_was_queued_when_a_host_died_waits_for_another_prompt(
    release: Release, start_host: StartHost, tmp_path: Path
) -> None:
    host = start_host(release, NO_TITLES)
    host.model.rule("(held there)", Hold("held there"), Say("Done."))
    async with client(host, tmp_path / "logins") as harness:
        session = await harness.create_session(str(host.cwd))
        await harness.send(outgoing(session, "first", "(held there) one"))
        await await_receipt(harness, session, "first", ReceiptState.CAPTURED)
        await harness.send(outgoing(session, "second", "two"))
        await anyio.sleep(0.5)  # a host writes what it accepted after a moment
        await anyio.to_thread.run_sync(host.crash)
        host.model.release("held there")
        with pytest.raises(HarnessError, match=r"no harness|broke"):
            await harness.send(outgoing(session, "third", "three"))
        await anyio.to_thread.run_sync(host.start)
        waiting = await harness.receipt(session, "second")
        assert (waiting.state, waiting.place) == (ReceiptState.QUEUED, 1)
        assert "before the next one" in (waiting.reason or "")
        interrupted = await harness.find_request(session, "first")
        assert (interrupted.stage, interrupted.reason) == (Stage.RECORDED, "interrupted")
        await harness.send(outgoing(session, "fourth", "four"))
        for request in ("second", "fourth"):
            await await_receipt(harness, session, request, ReceiptState.CAPTURED)
            assert (await harness.find_request(session, request, since=0)).copies == 1
        assert (await harness.find_request(session, "third", since=0)).stage is Stage.NOWHERE


async def test_a_login_that_a_host_does_not_accept_is_asked_for_anew(
    newer: Host, tmp_path: Path
) -> None:
    async with client(newer, tmp_path) as harness:
        await harness.describe()
        CookieStore(tmp_path).put(read_address(newer.url), Login("dsh-auth-x=v1.x.y", 1e12))
        await harness.describe()  # the old one goes on for this connection
        other = HostHarness(
            Connection(
                Finder(
                    lambda: [Place(read_address(newer.url), "a test")], CookieStore(tmp_path)
                ).find
            )
        )
        with pytest.raises(LoginNeededError, match="no longer accepts our login"):
            await other.describe()
        await enter(newer.link, CookieStore(tmp_path), named=None)
        await other.create_session(str(newer.cwd))
        await other.aclose()


async def test_a_list_does_not_open_its_sessions(host: Host, harness: HostHarness) -> None:
    session = await anyio.to_thread.run_sync(HostCaller(host).create)
    rows = {row.session_id: row for row in (await harness.session_rows()).rows}
    assert rows[session].cwd == str(host.cwd)
    assert rows[session].attached in (True, None)
