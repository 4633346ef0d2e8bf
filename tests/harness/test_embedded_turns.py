"""Turns: what is taken when, in which order it is recorded, and how a turn ends."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from dsh_lsp.harness.embedded.message import Message
from dsh_lsp.harness.embedded.prestep import Decision, Enter, Proceed, Reject, Step, decide
from dsh_lsp.harness.port import HarnessError, Mode, ReceiptState
from tests.support.embedded import Failing, Held, bench, types

pytestmark = pytest.mark.anyio

ONE_TURN = [
    *("permission/preset", "sandbox/mode", "approval/policy"),
    *("agent/inbox/spliced", "turn/start", "agent/inbox/spliced"),
    *("step/start", "system/message", "user/message", "session/title"),
    *("assistant/message", "step/end", "turn/end"),
]


async def test_a_turn_is_recorded_in_the_order_of_a_host(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("Plan the release")
        events = desk.events(session)
    assert types(events) == ONE_TURN
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert events[-1]["data"] == {"turn": 1, "reason": {"kind": "completed"}}


async def test_the_second_turn_needs_no_system_message_and_no_title(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one", "two")
        events = desk.events(session)[len(ONE_TURN) :]
    assert types(events) == [
        *("agent/inbox/spliced", "turn/start", "agent/inbox/spliced"),
        *("step/start", "user/message", "assistant/message", "step/end", "turn/end"),
    ]
    assert events[1]["data"] == {"turn": 2}


async def test_queued_prompts_get_a_turn_each_in_their_order(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "first")
        await responder.entered()
        requests = [await desk.send(session, text) for text in ("second", "third")]
        places = [(await desk.harness.receipt(session, each)).place for each in requests]
        responder.release(3)
        await desk.idle(session)
        events = desk.events(session)
    assert places == [1, 2]
    assert [event["data"]["turn"] for event in events if event["type"] == "turn/start"] == [1, 2, 3]
    assert said(events) == ["first", "second", "third"]


async def test_a_steer_enters_the_running_turn_at_its_next_step(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "go")
        await responder.entered()
        await desk.send(session, "later")
        steered = await desk.send(session, "left", Mode.STEER)
        assert (await desk.harness.receipt(session, steered)).place == 1
        responder.release(3)
        await desk.idle(session)
        events = desk.events(session)
    assert said(events) == ["go", "left", "later"]
    assert steps(events) == [(1, 1), (1, 2), (2, 1)]
    border = types(events).index("step/end")
    assert types(events)[border : border + 4] == [
        *("step/end", "agent/inbox/spliced", "step/start", "user/message"),
    ]


async def test_all_steers_that_wait_enter_the_same_step(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "go")
        await responder.entered()
        for text in ("left", "right"):
            await desk.send(session, text, Mode.STEER)
        responder.release(2)
        await desk.idle(session)
        events = desk.events(session)
    assert said(events) == ["go", "left", "right"]
    assert steps(events) == [(1, 1), (1, 2)]


async def test_a_steer_starts_a_turn_when_none_runs(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session()
        receipt = await desk.ask(session, "hello", Mode.STEER)
        events = desk.events(session)
    assert receipt.state is ReceiptState.CAPTURED
    assert events[3]["data"]["target"] == "next-step"
    assert types(events) == ONE_TURN


async def test_a_waiting_message_can_be_edited_moved_and_removed(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "go")
        await responder.entered()
        for text in ("draft", "unwanted", "urgent"):
            await desk.send(session, text)
        before = await desk.harness.inbox(session)
        await desk.harness.edit(session, await desk.message_id(session, "draft"), "final")
        await desk.harness.remove(session, await desk.message_id(session, "unwanted"))
        await desk.harness.steer(session, await desk.message_id(session, "urgent"))
        assert await desk.waiting(session) == ["urgent", "final"]
        assert [message.text for message in before.pending] == ["draft", "unwanted", "urgent"]
        after = await desk.harness.inbox(session)
        kept = {message.text: (message.id, message.request_id) for message in after.pending}
        assert kept["final"] == (before.pending[0].id, before.pending[0].request_id)
        assert kept["urgent"] == (before.pending[2].id, before.pending[2].request_id)
        responder.release(3)
        await desk.idle(session)
        events = desk.events(session)
    assert said(events) == ["go", "urgent", "final"]
    assert steps(events) == [(1, 1), (1, 2), (2, 1)]


async def test_what_a_turn_has_taken_can_no_longer_be_changed(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "go")
        await responder.entered()
        await desk.send(session, "later")
        message_id = await desk.message_id(session, "later")
        responder.release(2)
        await desk.idle(session)
        length = len(desk.events(session))
        for change in (
            desk.harness.edit(session, message_id, "never"),
            desk.harness.remove(session, message_id),
            desk.harness.steer(session, message_id),
        ):
            with pytest.raises(HarnessError, match="waits no more"):
                await change
        assert len(desk.events(session)) == length


async def test_a_removed_message_has_an_end_and_its_id_may_be_used_again(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "go")
        await responder.entered()
        request = await desk.send(session, "unwanted")
        await desk.harness.remove(session, await desk.message_id(session, "unwanted"))
        receipt = await desk.harness.receipt(session, request)
        assert receipt.state is ReceiptState.ENDED
        assert receipt.reason == "removed from the queue"
        responder.release()
        await desk.idle(session)
        assert said(desk.events(session)) == ["go"]


async def test_a_failing_responder_ends_the_turn_and_the_queue_goes_on(tmp_path):
    async with bench(tmp_path, responder=Failing(RuntimeError("out of ink"))) as desk:
        session = await desk.session()
        receipt = await desk.ask(session, "write")
        await desk.ask(session, "again")
        events = desk.events(session)
    assert receipt.state is ReceiptState.CAPTURED  # the message is in the log, only no answer is
    ends = [event["data"]["reason"] for event in events if event["type"] == "turn/end"]
    error = {"message": "out of ink", "code": "UNKNOWN"}
    assert ends == [{"kind": "error", "error": error}] * 2
    tail = ["assistant/attempt", "step/end", "turn/end"]
    assert types(events)[-3:] == tail


async def test_a_connection_that_breaks_is_the_responders_fault_not_the_logs(tmp_path):
    async with bench(tmp_path, responder=Failing(ConnectionError("refused"))) as desk:
        session = await desk.session("write")
        assert desk.events(session)[-1]["data"]["reason"]["error"]["message"] == "refused"
        assert (await desk.ask(session, "again")).state is ReceiptState.CAPTURED


async def test_an_empty_answer_is_an_error(tmp_path):
    class Mute(Held):
        async def respond(self, messages):
            return ""

    async with bench(tmp_path, responder=Mute()) as desk:
        session = await desk.session("write")
        reason = desk.events(session)[-1]["data"]["reason"]
    assert reason["kind"] == "error"
    assert "empty" in reason["error"]["message"]


async def test_cancelling_ends_the_turn_as_aborted_and_holds_the_queue(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "go")
        await responder.entered()
        await desk.send(session, "queued")
        await desk.harness.cancel(session)
        await desk.idle(session)
        events = desk.events(session)
        assert types(events)[-2:] == ["step/end", "turn/end"]
        reason = {"kind": "aborted", "reason": {"kind": "user"}}
        assert events[-1]["data"] == {"turn": 1, "reason": reason}
        assert await desk.waiting(session) == ["queued"]
        await desk.send(session, "next")
        responder.release(2)
        await desk.idle(session)
        assert said(desk.events(session)) == ["go", "queued", "next"]


async def test_cancelling_an_idle_session_changes_nothing(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
        events = desk.events(session)
        await desk.harness.cancel(session)
        assert desk.events(session) == events
        assert (await desk.ask(session, "two")).state is ReceiptState.CAPTURED


async def test_listeners_see_a_step_from_the_outside_in_and_back():
    seen: list[str] = []

    def listener(name: str):
        async def listen(step: Step, proceed: Proceed) -> Decision:
            seen.append(f"{name} before")
            decision = await proceed()
            seen.append(f"{name} after")
            return decision

        return listen

    step = Step("s", None, 1, 1, ())
    assert await decide([listener("outer"), listener("inner")], step) == Enter(())
    assert seen == ["outer before", "inner before", "inner after", "outer after"]


async def test_a_listener_may_answer_without_asking_those_below():
    async def refuse(step: Step, proceed: Proceed) -> Decision:
        return Reject("not today")

    async def unreachable(step: Step, proceed: Proceed) -> Decision:
        raise AssertionError("asked")

    assert await decide([refuse, unreachable], Step("s", None, 1, 1, ())) == Reject("not today")


async def test_a_rejected_turn_is_blocked_and_its_messages_are_gone(tmp_path):
    async def no_swearing(step: Step, proceed: Proceed) -> Decision:
        if any("damn" in message.text for message in step.messages):
            return Reject("mind your language")
        return await proceed()

    async with bench(tmp_path, listeners=[no_swearing]) as desk:
        session = await desk.session()
        receipt = await desk.ask(session, "damn")
        assert (receipt.state, receipt.reason) == (ReceiptState.ENDED, "blocked")
        events = desk.events(session)
        assert types(events)[-3:] == ["turn/start", "agent/inbox/spliced", "turn/end"]
        assert events[-1]["data"] == {"turn": 1, "reason": {"kind": "blocked"}}
        assert (await desk.ask(session, "please")).state is ReceiptState.CAPTURED
        assert said(desk.events(session)) == ["please"]


async def test_a_listener_that_breaks_ends_the_turn_before_anything_is_visible(tmp_path):
    async def broken(step: Step, proceed: Proceed) -> Decision:
        raise LookupError("no policy")

    async with bench(tmp_path, listeners=[broken]) as desk:
        session = await desk.session()
        receipt = await desk.ask(session, "hello")
        assert receipt.reason == "no policy (UNKNOWN)"
        assert said(desk.events(session)) == []


async def test_a_message_cannot_be_changed_by_anyone_who_sees_it(tmp_path):
    async def meddler(step: Step, proceed: Proceed) -> Decision:
        record: Any = step.messages[0].record
        for change in (
            lambda: record.__setitem__("role", "system"),
            lambda: record["source"].__setitem__("kind", "other"),
            lambda: record["content"].append({"type": "text", "text": "more"}),
            lambda: record["content"][0].__setitem__("text", "else"),
        ):
            with pytest.raises((TypeError, AttributeError)):
                change()
        return await proceed()

    async with bench(tmp_path, listeners=[meddler]) as desk:
        session = await desk.session("as I said")
        assert said(desk.events(session)) == ["as I said"]


async def test_sessions_run_side_by_side_one_turn_at_a_time_each(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        sessions = [await desk.session() for _ in range(4)]
        for session in sessions:
            await desk.send(session, f"a {session}")
            await desk.send(session, f"b {session}")
        for _ in sessions:
            await responder.entered()  # all four are inside the responder at the same time
        responder.release(8)
        for session in sessions:
            await desk.idle(session)
            assert said(desk.events(session)) == [f"a {session}", f"b {session}"]
            assert steps(desk.events(session)) == [(1, 1), (2, 1)]


async def test_closing_ends_the_running_turn_as_interrupted_and_keeps_the_queue(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "go")
        await responder.entered()
        request = await desk.send(session, "queued")
    assert desk.events(session)[-1]["data"] == {"turn": 1, "reason": {"kind": "interrupted"}}
    async with bench(tmp_path) as again:
        assert (await again.harness.receipt(session, request)).place == 1
        await again.send(session, "next")
        await again.idle(session)
        assert said(again.events(session)) == ["go", "queued", "next"]


async def test_prompts_that_arrive_together_are_all_recorded_once(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session()
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(desk.send, session, f"prompt {number}")
        await desk.idle(session)
        assert sorted(said(desk.events(session))) == sorted(f"prompt {n}" for n in range(20))


def said(events) -> list[str]:
    """The direct messages that a model could see."""
    messages = [Message(event["data"]) for event in events if event["type"] == "user/message"]
    return [message.text for message in messages if message.direct]


def steps(events) -> list[tuple[int, int]]:
    data = [event["data"] for event in events if event["type"] == "step/start"]
    return [(each["turn"], each["step"]) for each in data]
