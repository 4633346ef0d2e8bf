"""Compaction: a checkpoint takes the place of what came before the latest answer."""

from __future__ import annotations

import anyio
import pytest

from dsh_lsp.core.log.keep import conversation_only
from dsh_lsp.core.projection import project
from dsh_lsp.harness.embedded.responder import model_input
from dsh_lsp.harness.port import HarnessError, ReceiptState
from dsh_lsp.sessions.store import SessionStore
from tests.support.embedded import Echo, Failing, Held, bench, mention, types

pytestmark = pytest.mark.anyio


async def test_a_given_summary_replaces_all_but_the_latest_answer(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one", "two")
        before = await desk.harness.read_surface(session)
        assert await desk.harness.compact(session, "They counted.") == 3
        after = await desk.harness.read_surface(session)
        events = desk.events(session)
        assert desk.surface(session).nodes == after.nodes
    system, checkpoint, answer = after.nodes
    assert (system, answer) == (before.nodes[0], before.nodes[-1])
    assert checkpoint["surfaceOp"] == {"op": "replace", "startSeq": 8, "endSeq": 17}
    intro, summary, closing = (block["text"] for block in checkpoint["data"]["content"])
    assert intro.endswith("<compacted-summary>")
    assert (summary, closing) == ("They counted.", "</compacted-summary>")
    assert types(events)[-6:] == [
        *("command/run", "compaction/start", "compaction/summary"),
        *("user/message", "compaction/end", "command/done"),
    ]
    *_, start, record, message, _, done = events
    assert message["sourceEventSeqs"] == [start["seq"], record["seq"], 8, 10, 17]
    assert record["data"]["shadowedSeqs"] == [8, 10, 17]
    assert done["data"]["sourceEventSeq"] == record["seq"]
    names = {event["data"]["compactionId"] for event in (start, record)}
    assert names == {message["data"]["source"]["compactionId"]}


async def test_the_responder_writes_the_summary_of_what_goes(tmp_path):
    class Summarizer(Echo):
        async def summarize(self, messages):
            return " / ".join(message.text for message in messages)

    async with bench(tmp_path, responder=Summarizer()) as desk:
        session = await desk.session("one", "two")
        await desk.harness.compact(session)
        nodes = (await desk.harness.read_surface(session)).nodes
    assert nodes[1]["data"]["content"][1]["text"] == "one / You said: one / two"


async def test_a_second_compaction_covers_the_first_checkpoint(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one", "two")
        await desk.harness.compact(session, "first summary")
        await desk.ask(session, "three")
        await desk.harness.compact(session, "second summary")
        nodes = (await desk.harness.read_surface(session)).nodes
        stored = await SessionStore(desk.harness.store).read_surface(session)
        assert stored.nodes == tuple(conversation_only(node) for node in nodes)
    texts = [item.text for item in project(nodes)]
    assert len(texts) == 2
    assert "second summary" in texts[0]
    assert texts[1] == "You said: three"


async def test_a_snapshot_is_summarised_with_the_message_that_asked_for_it(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("the source")
        session = await desk.session()
        await desk.ask(session, f"see {mention(source)}")
        assert await desk.harness.compact(session, "summary") == 2
        given = model_input((await desk.harness.read_surface(session)).nodes)
    assert not any("referenced-sessions" in message.text for message in given[:2])


async def test_the_model_goes_on_from_the_checkpoint(tmp_path):
    responder = Echo()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session("one")
        await desk.harness.compact(session, "SUMMARY")
        await desk.ask(session, "two")
        given = [message.text for message in responder.given[-1]]
    assert len(given) == 4
    assert "SUMMARY" in given[1]
    assert given[2:] == ["You said: one", "two"]


async def test_there_may_be_nothing_to_compact(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session()
        assert await desk.harness.compact(session, "summary") == 0
        await desk.ask(session, "one")
        assert await desk.harness.compact(session, "summary") == 1
        length = len(desk.events(session))
        assert await desk.harness.compact(session, "summary") == 0
        assert len(desk.events(session)) == length


@pytest.mark.parametrize("summary", ["", "  \n"])
async def test_an_empty_summary_changes_nothing(tmp_path, summary):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
        before = (await desk.harness.read_surface(session)).nodes
        with pytest.raises(HarnessError, match="no summary"):
            await desk.harness.compact(session, summary)
        assert (await desk.harness.read_surface(session)).nodes == before
        assert types(desk.events(session))[-2:] == ["compaction/end", "command/done"]
        assert desk.events(session)[-1]["data"]["kind"] == "error"


async def test_a_summary_that_cannot_be_made_changes_nothing(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
    async with bench(tmp_path, responder=Failing(RuntimeError("no ink"))) as desk:
        with pytest.raises(HarnessError, match="no ink"):
            await desk.harness.compact(session)
        assert len((await desk.harness.read_surface(session)).nodes) == 3
        assert await desk.harness.compact(session, "by hand") == 1


async def test_a_compaction_waits_for_the_turn_and_the_next_turn_for_it(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "one")
        await responder.entered()
        async with anyio.create_task_group() as group:
            group.start_soon(desk.harness.compact, session, "SUMMARY")
            await anyio.wait_all_tasks_blocked()
            assert "compaction/start" not in types(desk.events(session))
            await desk.send(session, "two")
            responder.release(2)
        await desk.idle(session)
        events = types(desk.events(session))
        assert events.count("turn/end") == 2
        between = events[events.index("compaction/start") : events.index("compaction/end")]
        assert "turn/start" not in between
        assert "step/start" not in between


async def test_a_cancelled_summary_changes_nothing_and_the_session_goes_on(tmp_path):
    class Endless(Echo):
        async def summarize(self, messages):
            await anyio.sleep_forever()
            return ""

    async with bench(tmp_path, responder=Endless()) as desk:
        session = await desk.session("one")
        with anyio.move_on_after(0.05):
            await desk.harness.compact(session)
        assert len((await desk.harness.read_surface(session)).nodes) == 3
        assert desk.events(session)[-1]["data"]["text"] == "the compaction was cancelled"
        assert (await desk.ask(session, "two")).state is ReceiptState.CAPTURED
