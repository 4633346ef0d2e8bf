"""Who owns the message: the reference service as the outer listener of a step."""

from __future__ import annotations

import json
import shutil

import pytest

from dsh_lsp.core.envelope import CLOSING_TAG, OPENING_TAG
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.mentions import format_mention
from dsh_lsp.core.uri import encode
from dsh_lsp.harness.embedded.prestep import Decision, Enter, Proceed, Reject, Step
from dsh_lsp.harness.embedded.responder import model_input
from dsh_lsp.harness.port import Mode, Outgoing, ReceiptState
from dsh_lsp.sessions.store import SessionStore
from tests.support.embedded import Held, bench, log_path, mention, types
from tests.support.fake_query import FakeQuery, make_surface
from tests.support.gate import gate

pytestmark = pytest.mark.anyio


async def test_the_mention_becomes_its_label_and_the_snapshot_follows(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("How do we ship?")
        target = await desk.session()
        text = f"Go on from {mention(source, 'Shipping [v2]')}, please"
        receipt = await desk.ask(target, text)
        events = desk.events(target)
    accepted = events[3]["data"]["inserted"][0]
    assert accepted["content"][0]["text"] == text  # the queue keeps what was sent
    direct, snapshot = (event for event in events if event["type"] == "user/message")
    assert direct["data"]["content"] == [
        {"type": "text", "text": "Go on from @Shipping [v2], please"}
    ]
    assert direct["data"]["id"] == accepted["id"]
    assert direct["data"]["source"] == accepted["source"]
    assert snapshot["seq"] == direct["seq"] + 1
    assert snapshot["surfaceOp"] == "append"
    assert snapshot["data"]["role"] == "user"
    assert snapshot["data"]["id"] != direct["data"]["id"]
    assert snapshot["data"]["source"]["kind"] == "session-reference"
    (record,) = snapshot["data"]["source"]["references"]
    assert (record["sessionId"], record["label"]) == (source, "Shipping [v2]")
    assert receipt.state is ReceiptState.CAPTURED
    assert receipt.message_seq == direct["seq"]
    assert [dict(each) for each in receipt.references] == [record]
    assert quoted(snapshot)[0]["conversation"] == [
        {"role": "user", "text": "How do we ship?"},
        {"role": "assistant", "text": "You said: How do we ship?"},
    ]


async def test_all_mentions_of_a_prompt_share_one_snapshot(tmp_path):
    async with bench(tmp_path) as desk:
        one, two = await desk.session("one"), await desk.session("two")
        target = await desk.session()
        text = f"{encode(two)} and {mention(one, 'first')} and {mention(two, 'again')}"
        await desk.ask(target, text)
        direct, snapshot = user_messages(desk.events(target))
    assert direct["data"]["content"][0]["text"] == f"@{two} and @first and @again"
    references = snapshot["data"]["source"]["references"]
    assert [(each["label"], each["inputIndex"]) for each in references] == [(two, 0), ("first", 1)]


async def test_a_prompt_without_mentions_gets_no_snapshot(tmp_path):
    async with bench(tmp_path) as desk:
        target = await desk.session("mail me@example.org, dsh-session: is a scheme")
        assert len(user_messages(desk.events(target))) == 1


async def test_each_direct_message_of_a_step_gets_its_own_snapshot(tmp_path):
    responder = Held()
    responder.release(2)
    async with bench(tmp_path, responder=responder) as desk:
        one, two = await desk.session("one"), await desk.session("two")
        target = await desk.session()
        for _ in range(2):
            await responder.entered()
        await desk.send(target, "go")
        await responder.entered()
        for source in (one, two):
            await desk.send(target, f"see {mention(source)}", Mode.STEER)
        responder.release(2)
        await desk.idle(target)
        messages = user_messages(desk.events(target))
    kinds = [message["data"]["source"]["kind"] for message in messages]
    assert kinds == ["user", *("user", "session-reference") * 2]
    named = [each["data"]["source"]["references"][0]["sessionId"] for each in messages[2::2]]
    assert named == [one, two]


async def test_context_of_other_programs_is_left_alone(tmp_path):
    async with bench(tmp_path) as plain:
        source = await plain.session("known")

    async def inject(step: Step, proceed: Proceed) -> Decision:
        decision = await proceed()
        assert isinstance(decision, Enter)
        note = decision.messages[0].rewritten(lambda _: f"note: {mention(source)}")
        foreign = type(note)({**note.record, "source": {"kind": "time-context"}, "id": "note"})
        return Enter((*decision.messages, foreign))

    async with bench(tmp_path, listeners=[inject]) as desk:
        target = await desk.session("hello")
        messages = user_messages(desk.events(target))
    assert [each["data"]["source"]["kind"] for each in messages] == ["user", "time-context"]
    assert messages[1]["data"]["content"][0]["text"] == f"note: {mention(source)}"


async def test_listeners_below_decide_first_and_see_raw_mentions(tmp_path):
    seen: list[str] = []

    async def look(step: Step, proceed: Proceed) -> Decision:
        decision = await proceed()
        assert isinstance(decision, Enter)
        seen.extend(message.text for message in decision.messages)
        return decision

    async with bench(tmp_path, listeners=[look]) as desk:
        source = await desk.session("known")
        target = await desk.session()
        await desk.ask(target, f"see {mention(source, 'it')}")
    assert seen == ["known", f"see {mention(source, 'it')}"]


async def test_only_what_the_listeners_below_let_in_is_parsed(tmp_path):
    async def censor(step: Step, proceed: Proceed) -> Decision:
        return Enter(tuple(each.with_text("nothing") for each in step.messages))

    async with bench(tmp_path, listeners=[censor]) as desk:
        target = await desk.session()
        receipt = await desk.ask(target, f"see {mention('unknown')}")
        assert receipt.state is ReceiptState.CAPTURED
        (message,) = user_messages(desk.events(target))
    assert message["data"]["content"][0]["text"] == "nothing"


async def test_a_rejection_from_below_passes_through_untouched(tmp_path):
    async def refuse(step: Step, proceed: Proceed) -> Decision:
        return Reject("closed")

    query = FakeQuery(surfaces={"s": make_surface("s", "text")})
    async with bench(tmp_path, listeners=[refuse], sources=[query]) as desk:
        target = await desk.session()
        receipt = await desk.ask(target, f"see {mention('s')} and {mention('unknown')}")
        assert receipt.reason == "blocked"
        assert desk.events(target)[-1]["data"]["reason"] == {"kind": "blocked"}
    assert query.surfaces_read == []


FAILURES = {
    "unknown session": (format_mention("unknown"), "SESSION_REFERENCE_READ_FAILED"),
    "malformed URI": ("@[x](dsh-session:!!)", "SESSION_REFERENCE_INVALID_REFERENCE"),
    "URI that is not canonical": ("dsh-session:AAAA", "SESSION_REFERENCE_INVALID_REFERENCE"),
    "four sources": (
        " ".join(format_mention(f"s{n}") for n in range(4)),
        "SESSION_REFERENCE_TOO_MANY",
    ),
    "broken source": (format_mention("broken"), "SESSION_REFERENCE_READ_FAILED"),
    "budget": (format_mention("s0", "<" * 20_000), "SESSION_REFERENCE_BUDGET_EXCEEDED"),
    "one of two fails": (
        f"{format_mention('s0')} {format_mention('unknown')}",
        "SESSION_REFERENCE_READ_FAILED",
    ),
}


@pytest.mark.parametrize(("text", "code"), FAILURES.values(), ids=list(FAILURES))
async def test_a_failed_preparation_ends_the_turn_before_anything_is_visible(tmp_path, text, code):
    surfaces = {f"s{n}": make_surface(f"s{n}", "text") for n in range(4)}
    broken = ReadFailedError("the log is damaged", ReadFault.CORRUPT)
    query = FakeQuery(surfaces=surfaces | {"broken": broken})
    async with bench(tmp_path, sources=[query]) as desk:
        target = await desk.session("before")
        visible = model_input((await desk.harness.read_surface(target)).nodes)
        receipt = await desk.ask(target, f"see {text}")
        events = desk.events(target)
        assert types(events)[-4:] == [
            *("agent/inbox/spliced", "turn/start", "agent/inbox/spliced", "turn/end"),
        ]
        error = events[-1]["data"]["reason"]["error"]
        assert events[-1]["data"]["reason"]["kind"] == "error"
        assert error["code"] == code
        assert error["message"]
        assert receipt.state is ReceiptState.ENDED
        assert receipt.reason == f"{error['message']} ({code})"
        assert model_input((await desk.harness.read_surface(target)).nodes) == visible
        assert (await desk.ask(target, "after")).state is ReceiptState.CAPTURED


async def test_a_session_cannot_mention_itself(tmp_path):
    async with bench(tmp_path) as desk:
        target = await desk.session("hello")
        receipt = await desk.ask(target, f"see {mention(target)}")
    assert receipt.state is ReceiptState.ENDED
    assert "SESSION_REFERENCE_SELF_REFERENCE" in (receipt.reason or "")


async def test_a_bad_steer_ends_the_running_turn_but_not_what_it_said(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        target = await desk.session()
        await desk.send(target, "go")
        await responder.entered()
        request = await desk.send(target, f"see {mention('unknown')}", Mode.STEER)
        responder.release()
        await desk.idle(target)
        events = desk.events(target)
        receipt = await desk.harness.receipt(target, request)
    assert receipt.state is ReceiptState.ENDED
    assert types(events)[-4:] == [
        *("assistant/message", "step/end", "agent/inbox/spliced", "turn/end"),
    ]


async def test_a_corrected_prompt_may_use_the_request_id_of_a_failed_one(tmp_path):
    async with bench(tmp_path) as desk:
        source, target = await desk.session("known"), await desk.session()
        for text in (f"see {mention('unknown')}", f"see {mention(source)}"):
            await desk.harness.send(Outgoing("same", target, text, Mode.QUEUE))
            await desk.idle(target)
        assert (await desk.harness.receipt(target, "same")).state is ReceiptState.CAPTURED
        assert len(user_messages(desk.events(target))) == 2


async def test_sources_are_captured_when_the_message_is_taken(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        source, target = await desk.session(), await desk.session()
        await desk.send(target, "go")
        await responder.entered()
        await desk.send(target, f"see {mention(source)}")
        await desk.send(source, "said while it waited")
        await responder.entered()
        responder.release(3)
        await desk.idle(source)
        await desk.idle(target)
        snapshot = user_messages(desk.events(target))[-1]
    assert "said while it waited" in snapshot["data"]["content"][0]["text"]


async def test_an_edit_of_a_waiting_message_decides_what_is_mentioned(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        one, two = [await desk.harness.create_session("/w") for _ in range(2)]
        target = await desk.session()
        await desk.send(target, "go")
        await responder.entered()
        await desk.send(target, f"see {mention(one)}")
        waiting = await desk.message_id(target, f"see {mention(one)}")
        await desk.harness.edit(target, waiting, f"see {mention(two)}")
        await desk.harness.steer(target, waiting)
        responder.release(2)
        await desk.idle(target)
        snapshot = user_messages(desk.events(target))[-1]
    assert [each["sessionId"] for each in snapshot["data"]["source"]["references"]] == [two]


async def test_what_happens_to_the_source_later_cannot_change_the_target(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("first", "second")
        target = await desk.session()
        await desk.ask(target, f"see {mention(source)}")
        recorded = desk.events(target)
        seen = model_input((await desk.harness.read_surface(target)).nodes)
        await desk.ask(source, "third")
        await desk.harness.compact(source, "all of it")
        await desk.harness.rename(source, "another name")
        path = log_path(desk.harness.store, source)
    shutil.rmtree(path.parent)
    async with bench(tmp_path) as again:
        assert again.events(target) == recorded
        assert model_input(again.surface(target).nodes) == seen
        await again.ask(target, "still there?")
        assert model_input((await again.harness.read_surface(target)).nodes)[: len(seen)] == seen


async def test_a_snapshot_is_never_quoted_by_another(tmp_path):
    async with bench(tmp_path) as desk:
        secret = await desk.session("the secret of the first")
        middle = await desk.session()
        await desk.ask(middle, f"see {mention(secret, 'first')}")
        target = await desk.session()
        await desk.ask(target, f"see {mention(middle, 'second')}")
        snapshot = user_messages(desk.events(target))[-1]
    texts = [item["text"] for item in quoted(snapshot)[0]["conversation"]]
    assert texts[0] == "see @first"
    assert not any("the secret of the first" in text for text in texts[:1])
    assert snapshot["data"]["source"]["references"][0]["originalMessages"] == 2


async def test_a_compacted_source_shows_its_checkpoint_and_what_follows(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("one", "two")
        await desk.harness.compact(source, "SUMMARY")
        target = await desk.session()
        await desk.ask(target, f"see {mention(source)}")
        snapshot = user_messages(desk.events(target))[-1]
    items = quoted(snapshot)[0]["conversation"]
    assert "SUMMARY" in items[0]["text"]
    assert [item["text"] for item in items[1:]] == ["You said: two"]
    assert snapshot["data"]["source"]["references"][0]["compacted"] is True


async def test_unfinished_answers_are_not_quoted(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        source, target = await desk.session(), await desk.session()
        await desk.send(source, "asked, not answered yet")
        await responder.entered()
        await desk.send(target, f"see {mention(source)}")
        await responder.entered()
        responder.release(2)
        await desk.idle(target)
        snapshot = user_messages(desk.events(target))[-1]
    assert quoted(snapshot)[0]["conversation"] == [
        {"role": "user", "text": "asked, not answered yet"}
    ]


async def test_an_open_session_wins_over_its_stored_log(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("from memory")
        stale = FakeQuery(surfaces={source: make_surface(source, "from a stale store")})
    async with bench(tmp_path, sources=[stale]) as desk:
        target = await desk.session()
        await desk.ask(target, f"see {mention(source)}")
        snapshot = user_messages(desk.events(target))[-1]
    assert stale.surfaces_read == []
    assert "from memory" in snapshot["data"]["content"][0]["text"]


async def test_sources_of_a_user_store_are_read_and_never_touched(tmp_path):
    async with bench(tmp_path / "theirs") as other:
        source = await other.session("theirs")
        theirs = other.harness.store
    before = tree(theirs)
    async with bench(tmp_path / "ours", sources=[SessionStore(theirs)]) as desk:
        target = await desk.session()
        await desk.ask(target, f"see {mention(source)}")
        assert "theirs" in user_messages(desk.events(target))[-1]["data"]["content"][0]["text"]
    assert tree(theirs) == before


async def test_limits_are_those_of_the_harness(tmp_path):
    limits = Limits(max_references=1, max_reference_bytes=400)
    async with bench(tmp_path, limits=limits) as desk:
        one, two = await desk.session("x" * 2_000), await desk.session("two")
        target = await desk.session()
        await desk.ask(target, f"see {mention(one)}")
        (record,) = user_messages(desk.events(target))[-1]["data"]["source"]["references"]
        assert record["truncated"]
        receipt = await desk.ask(target, f"see {mention(one)} {mention(two)}")
        assert "SESSION_REFERENCE_TOO_MANY" in (receipt.reason or "")


async def test_cancelling_a_turn_does_not_wait_for_a_storage_that_hangs(tmp_path):
    class Stuck(FakeQuery):
        async def read_surface(self, session_id):
            await door.block()
            raise AssertionError("nobody waits for this")

    with gate() as door:
        async with bench(tmp_path, sources=[Stuck()]) as desk:
            target = await desk.session()
            request = await desk.send(target, f"see {mention('far away')}")
            await door.someone_waits()
            await desk.harness.cancel(target)
            await desk.idle(target)
            assert not door.is_open
            receipt = await desk.harness.receipt(target, request)
            assert (receipt.state, receipt.reason) == (ReceiptState.ENDED, "aborted")
            assert types(desk.events(target))[-1] == "turn/end"
            door.open()


def user_messages(events):
    return [event for event in events if event["type"] == "user/message"]


def quoted(snapshot):
    """The sources that a snapshot quotes."""
    text = snapshot["data"]["content"][0]["text"]
    return json.loads(text.partition(OPENING_TAG)[2].partition(CLOSING_TAG)[0])


def tree(folder):
    """Every file below a folder with its content and its time."""
    return {
        path.relative_to(folder): (path.stat().st_mtime_ns, path.is_file() and path.read_bytes())
        for path in folder.rglob("*")
    }
