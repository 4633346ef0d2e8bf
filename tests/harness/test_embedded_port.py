"""The embedded harness as a `Harness`: targets, acceptance, receipts, its life."""

from __future__ import annotations

import asyncio
import json

import anyio
import anyio.lowlevel
import pytest
import zstandard

from dsh_lsp import __version__
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.limits import Limits
from dsh_lsp.harness.embedded import loop, turns
from dsh_lsp.harness.embedded.harness import EmbeddedHarness
from dsh_lsp.harness.embedded.responder import Acknowledger
from dsh_lsp.harness.port import (
    Harness,
    HarnessError,
    Mode,
    Outgoing,
    Receipt,
    ReceiptState,
    UnknownSessionError,
)
from dsh_lsp.sessions.query import SessionQuery
from tests.support.embedded import Failing, Held, bench, log_path, mention, types

pytestmark = pytest.mark.anyio


async def test_it_is_a_harness_and_a_query(tmp_path):
    harness: Harness = EmbeddedHarness(tmp_path)
    query: SessionQuery = EmbeddedHarness(tmp_path)
    assert (await harness.describe()).version == __version__
    assert (await query.list_sessions()).faults == ()


async def test_it_needs_no_model_and_no_block(tmp_path):
    harness = EmbeddedHarness(tmp_path, responder=Acknowledger())
    session = await harness.create_session("/w")
    await harness.send(Outgoing("r", session, "hello", Mode.QUEUE))
    await harness.idle(session)
    (asked, answered) = await harness.transcript(session)
    assert asked.text == "hello"
    assert answered.text.startswith("Recorded.")
    await harness.aclose()
    await harness.aclose()


async def test_it_tells_its_byte_budget(tmp_path):
    async with bench(tmp_path, limits=Limits(max_reference_bytes=700)) as desk:
        description = await desk.harness.describe()
    assert description.name == "dsh-lsp embedded"
    assert description.max_reference_bytes == 700


@pytest.mark.parametrize("cwd", ["relative", "./x", ""])
async def test_a_working_directory_is_absolute(tmp_path, cwd):
    async with bench(tmp_path) as desk:
        with pytest.raises(HarnessError, match="absolute"):
            await desk.harness.create_session(cwd)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cwd", [None, "/", "/w", "C:\\work", "\\\\server\\share"])
async def test_sessions_may_have_any_absolute_working_directory_or_none(tmp_path, cwd):
    async with bench(tmp_path) as desk:
        session = await desk.session("hello", cwd=cwd)
        (entry,) = (await desk.harness.list_sessions()).sessions
        assert (entry.header.id, entry.header.cwd) == (session, cwd)
    async with bench(tmp_path) as again:
        listing = await again.harness.list_sessions()
        assert listing.faults == ()
        assert listing.sessions[0].header.cwd == cwd


async def test_a_blank_session_is_there_before_its_first_prompt(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session()
        assert await desk.harness.has_session(session)
        surface = await desk.harness.read_surface(session)
        assert (surface.nodes, surface.captured_through_seq) == ((), 2)
    async with bench(tmp_path) as again:
        assert await again.harness.has_session(session)
        assert (await again.ask(session, "hello")).state is ReceiptState.CAPTURED


@pytest.mark.parametrize("session_id", ["unknown", "", "../../etc", "a/b", "\ud800"])
async def test_unknown_sessions_are_no_targets(tmp_path, session_id):
    async with bench(tmp_path) as desk:
        await desk.session("hello")
        assert not await desk.harness.has_session(session_id)
        with pytest.raises(UnknownSessionError, match="choose"):
            await desk.send(session_id, "hello")
        with pytest.raises(UnknownSessionError):
            await desk.harness.receipt(session_id, "r")
        with pytest.raises(ReadFailedError) as failure:
            await desk.harness.read_surface(session_id)
        assert failure.value.reason is ReadFault.NOT_FOUND


@pytest.mark.parametrize("text", ["", "  \n\t"])
async def test_a_prompt_says_something(tmp_path, text):
    async with bench(tmp_path) as desk:
        session = await desk.session()
        with pytest.raises(HarnessError, match="empty"):
            await desk.send(session, text)
        assert len(desk.events(session)) == 3


async def test_the_time_zone_of_the_sender_is_kept(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session()
        prompt = Outgoing("r", session, "hello", Mode.QUEUE, time_zone="Europe/Berlin")
        await desk.harness.send(prompt)
        await desk.idle(session)
        (message,) = (e for e in desk.events(session) if e["type"] == "user/message")
    assert message["data"]["source"] == {
        "kind": "user",
        "rpcId": "r",
        "clientTimeZone": "Europe/Berlin",
    }


@pytest.mark.parametrize("text", ["plain", "half \ud83d", "\ud83d\ude00", "NUL \x00", "a\u2028b"])
async def test_any_text_is_recorded_as_it_was_sent(tmp_path, text):
    async with bench(tmp_path) as desk:
        session = await desk.session(text)
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        assert (await desk.harness.transcript(session))[0].text == joined
        outgoing = Outgoing("again", session, text, Mode.QUEUE)
        await desk.harness.send(outgoing)
        await desk.harness.send(outgoing)
        await desk.idle(session)
    async with bench(tmp_path) as again:
        assert (await again.harness.transcript(session))[0].text == joined
        await again.harness.send(outgoing)
        assert len(again.events(session)) == len(desk.events(session))


async def test_sending_returns_before_the_answer(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        with anyio.fail_after(2):
            request = await desk.send(session, "hello")
        inserted = desk.events(session)[3]["data"]["inserted"][0]
        assert inserted["source"]["rpcId"] == request  # accepted means on disk
        await responder.entered()
        receipt = await desk.harness.receipt(session, request)
        assert receipt == Receipt(ReceiptState.CAPTURED, message_seq=8)
        responder.release()
        await desk.idle(session)


async def test_a_receipt_moves_from_queued_to_captured(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "first")
        await responder.entered()
        request = await desk.send(session, "second")
        states = [(await desk.harness.receipt(session, request)).state]
        responder.release()
        await responder.entered()
        states.append((await desk.harness.receipt(session, request)).state)
        responder.release()
        await desk.idle(session)
    assert states == [ReceiptState.QUEUED, ReceiptState.CAPTURED]


async def test_a_prompt_that_a_turn_has_taken_is_waiting_until_it_is_recorded(tmp_path):
    held = anyio.Event()

    async def hold(step, proceed):
        await held.wait()
        return await proceed()

    async with bench(tmp_path, listeners=[hold]) as desk:
        session = await desk.session()
        request = await desk.send(session, "hello")
        while types(desk.events(session))[-1] != "agent/inbox/spliced" or await desk.waiting(
            session
        ):
            await anyio.lowlevel.checkpoint()
        assert await desk.harness.receipt(session, request) == Receipt(ReceiptState.WAITING)
        held.set()
        await desk.idle(session)


async def test_a_request_that_was_never_sent_has_no_receipt(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("hello")
        with pytest.raises(HarnessError, match="no prompt with this request id"):
            await desk.harness.receipt(session, "never")


async def test_the_same_request_is_taken_once(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        outgoing = Outgoing("same", session, "hello", Mode.QUEUE)
        async with anyio.create_task_group() as group:
            for _ in range(6):  # even at the same moment
                group.start_soon(desk.harness.send, outgoing)
        await responder.entered()
        await desk.harness.send(outgoing)
        responder.release()
        await desk.idle(session)
        await desk.harness.send(outgoing)
        await desk.idle(session)
        assert types(desk.events(session)).count("user/message") == 1
    async with bench(tmp_path) as again:
        await again.harness.send(outgoing)
        await again.idle(session)
        assert types(again.events(session)).count("user/message") == 1


async def test_the_same_request_with_another_text_is_refused(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session, other = await desk.session(), await desk.session()
        await desk.harness.send(Outgoing("same", session, "hello", Mode.QUEUE))
        await responder.entered()
        for text in ("goodbye", "hello "):
            with pytest.raises(HarnessError, match="new request id"):
                await desk.harness.send(Outgoing("same", session, text, Mode.QUEUE))
        responder.release(2)
        await desk.idle(session)
        await desk.harness.send(Outgoing("same", other, "elsewhere", Mode.QUEUE))
        await desk.idle(other)
        assert (await desk.harness.receipt(other, "same")).state is ReceiptState.CAPTURED


async def test_a_request_stays_itself_through_edit_and_move(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "go")
        await responder.entered()
        outgoing = Outgoing("same", session, "draft", Mode.QUEUE)
        await desk.harness.send(outgoing)
        message_id = await desk.message_id(session, "draft")
        await desk.harness.edit(session, message_id, "final")
        await desk.harness.steer(session, message_id)
        await desk.harness.send(outgoing)  # a late retry of what was accepted
        assert await desk.waiting(session) == ["final"]
        responder.release(2)
        await desk.idle(session)
        assert (await desk.harness.receipt(session, "same")).state is ReceiptState.CAPTURED


async def test_receipts_survive_a_restart_without_opening_the_session(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("known")
        session = await desk.session()
        good = await desk.send(session, f"see {mention(source)}")
        bad = await desk.send(session, f"see {mention('unknown')}")
        await desk.idle(session)
        expected = [await desk.harness.receipt(session, each) for each in (good, bad)]
        path = log_path(desk.harness.store, session)
    content = path.read_bytes()
    async with bench(tmp_path) as again:
        assert [await again.harness.receipt(session, each) for each in (good, bad)] == expected
        assert (await again.harness.inbox(session)).pending == ()
        assert len(await again.harness.transcript(session)) == 3
    assert path.read_bytes() == content
    assert [each.state for each in expected] == [ReceiptState.CAPTURED, ReceiptState.ENDED]


async def test_a_damaged_session_is_refused_with_its_place_and_costs_only_itself(tmp_path):
    async with bench(tmp_path) as desk:
        damaged, sound = await desk.session("one"), await desk.session("two")
        path = log_path(desk.harness.store, damaged)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))
    async with bench(tmp_path) as again:
        with pytest.raises(HarnessError, match="choose another target") as failure:
            await again.send(damaged, "hello")
        assert str(path) in str(failure.value)
        assert path.read_bytes() == bytes(data)
        assert (await again.ask(sound, "hello")).state is ReceiptState.CAPTURED


MALFORMED = {
    "a splice out of range": {"target": "next-turn", "start": 7, "inserted": []},
    "an unknown queue": {"target": "someday", "start": 0, "inserted": []},
    "a message that is none": {"target": "next-turn", "start": 0, "inserted": ["x"]},
    "no data at all": None,
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=list(MALFORMED))
async def test_a_malformed_event_costs_the_session_and_tells_it(tmp_path, data):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
        path = log_path(desk.harness.store, session)
        length = len(desk.events(session))
    event = {"type": "agent/inbox/spliced", "seq": length, "time": 1, "data": data}
    line = json.dumps(event).encode() + b"\n"
    path.write_bytes(
        path.read_bytes() + zstandard.ZstdCompressor(write_checksum=True).compress(line)
    )
    content = path.read_bytes()
    async with bench(tmp_path) as again:
        with pytest.raises(HarnessError, match="choose another"):
            await again.send(session, "hello")
        with pytest.raises(HarnessError, match="choose another"):
            await again.harness.receipt(session, "r")
    assert path.read_bytes() == content


async def test_nothing_that_is_said_gets_into_the_logs_of_the_program(tmp_path, caplog):
    caplog.set_level(0)
    async with bench(tmp_path) as desk:
        session = await desk.session("xyzzy")
        await desk.ask(session, f"xyzzy {mention('xyzzy')}")
    async with bench(tmp_path, responder=Failing(RuntimeError("xyzzy"))) as desk:
        await desk.ask(session, "xyzzy again")
    assert "ReadFailedError" in caplog.text
    assert "xyzzy" not in caplog.text


async def test_live_sessions_are_read_from_memory_and_their_turn_stays_open(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "hello")
        await responder.entered()
        surface = await desk.harness.read_surface(session)
        assert surface is await desk.harness.read_surface(session)
        assert surface.captured_through_seq == desk.events(session)[-1]["seq"]
        revision = (await desk.harness.list_sessions()).sessions[0].revision
        responder.release()
        await desk.idle(session)
        assert (await desk.harness.list_sessions()).sessions[0].revision != revision
        assert surface.captured_through_seq == 9  # what was observed does not move
        assert (await desk.harness.read_titles([session, "unknown"]))[session].title == "hello"


async def test_nothing_goes_on_after_closing(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("hello")
    for call in (
        desk.harness.create_session("/w"),
        desk.send(session, "more"),
        desk.harness.rename(session, "name"),
    ):
        with pytest.raises(HarnessError, match="closed"):
            await call
    assert not [task for task in asyncio.all_tasks() if "Background" in repr(task)]


async def test_a_mistake_in_one_session_does_not_stop_the_others(tmp_path, monkeypatch):
    async with bench(tmp_path) as desk:
        one, two = await desk.session(), await desk.session()
        real = turns.closing

        def broken(ledger, reason):
            raise ZeroDivisionError

        monkeypatch.setattr(loop, "closing", broken)
        await desk.ask(one, "hello")
        monkeypatch.setattr(loop, "closing", real)
        assert (await desk.ask(two, "hello")).state is ReceiptState.CAPTURED
        assert (await desk.ask(one, "again")).state is ReceiptState.CAPTURED
        reasons = [e["data"]["reason"] for e in desk.events(one) if e["type"] == "turn/end"]
        assert [reason["kind"] for reason in reasons] == ["interrupted", "completed"]
