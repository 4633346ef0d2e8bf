"""The transcript of a log: what was said, with snapshots as one line for each source."""

from __future__ import annotations

import pytest

from dsh_lsp.harness.embedded.transcript import Entry, Recalled, Speaker, replay
from dsh_lsp.harness.port import Mode
from tests.support.embedded import Held, bench, mention

pytestmark = pytest.mark.anyio


async def test_a_snapshot_is_tied_to_the_message_before_it(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("a secret of the source")
        target = await desk.session("hello")
        await desk.ask(target, f"see {mention(source, 'Old talk')}")
        entries = await desk.harness.transcript(target)
    assert [(entry.speaker, entry.text) for entry in entries[:3]] == [
        (Speaker.USER, "hello"),
        (Speaker.ASSISTANT, "You said: hello"),
        (Speaker.USER, "see @Old talk"),
    ]
    (recalled,) = entries[2].recalled
    assert (recalled.session_id, recalled.label) == (source, "Old talk")
    assert recalled.summary == "Old talk (2 messages, as of event 12)"
    shown = "".join(entry.text for entry in entries[:3])
    assert "secret" not in shown
    assert not any(entry.recalled for entry in entries[:2])


async def test_each_of_several_messages_keeps_its_own_sources(tmp_path):
    responder = Held()
    async with bench(tmp_path, responder=responder) as desk:
        one, two, target = await desk.session(), await desk.session(), await desk.session()
        await desk.send(target, "go")
        await responder.entered()
        for text in (f"see {mention(one)}", "nothing", f"see {mention(two)}"):
            await desk.send(target, text, Mode.STEER)
        responder.release(2)
        await desk.idle(target)
        entries = await desk.harness.transcript(target)
    prompts = [entry for entry in entries if entry.speaker is Speaker.USER]
    sources = [[each.session_id for each in entry.recalled] for entry in prompts]
    assert sources == [[], [one], [], [two]]


async def test_it_tells_how_turns_ended_and_what_was_compacted(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
        await desk.ask(session, f"see {mention('unknown')}")
        await desk.harness.compact(session, "SUMMARY")
        entries = await desk.harness.transcript(session)
    assert [entry.speaker for entry in entries] == [
        *(Speaker.USER, Speaker.ASSISTANT, Speaker.NOTICE, Speaker.CHECKPOINT),
    ]
    assert "SESSION_REFERENCE_READ_FAILED" in entries[2].text
    assert "SUMMARY" in entries[3].text


def test_a_snapshot_without_its_message_stands_alone_and_shows_no_json():
    source = {
        "kind": "session-reference",
        "references": [
            {
                "sessionId": "s",
                "label": "a\nb",
                "capturedThroughSeq": None,
                "compacted": True,
                "retainedMessages": 1,
                "omittedMessages": 2,
                "truncated": True,
            }
        ],
    }
    block = {"type": "text", "text": '[{"sessionId":"s"}]'}
    snapshot = event(3, {"content": [block], "source": source, "role": "user", "id": "x"})
    answer = {
        "type": "assistant/message",
        "seq": 2,
        "data": {"message": {"content": [{"type": "text", "text": "said"}]}},
    }
    recalled = Recalled("s", "a\nb", None, True, 1, 2, True)
    assert replay([snapshot]) == (Entry(3, Speaker.CONTEXT, "Referenced sessions", (recalled,)),)
    assert [entry.recalled for entry in replay([answer, snapshot])] == [(), (recalled,)]
    assert recalled.summary == (
        "a b (1 message, 2 left out, begins with a summary, as of its start)"
    )


def test_other_context_is_shown_as_such():
    data = {
        "content": [{"type": "text", "text": "noon"}, {"type": "image"}],
        "source": {"kind": "time-context"},
        "role": "user",
        "id": "x",
    }
    assert replay([event(0, data)]) == (Entry(0, Speaker.CONTEXT, "noon"),)


def event(seq, data):
    return {"type": "user/message", "seq": seq, "data": data, "surfaceOp": "append"}
