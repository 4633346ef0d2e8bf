"""Recording sample sessions without running anything."""

from __future__ import annotations

import pytest

from dsh_lsp.core.log.event_types import STRICT_0_2_1
from dsh_lsp.core.projection import project
from dsh_lsp.harness.embedded.answer import Speaker
from dsh_lsp.harness.embedded.recorder import Recorder
from dsh_lsp.sessions.store import SessionStore
from tests.support.embedded import (
    Ticker,
    bench,
    counted_ids,
    events_of,
    frames_of,
    mention,
    types,
)

SPEAKER = Speaker("sample", "writer")


def recorder(store, session_id="session-1", cwd="/home/dev/proj"):
    return Recorder(
        store,
        session_id=session_id,
        cwd=cwd,
        clock=Ticker(),
        new_id=counted_ids(session_id),
        speaker=SPEAKER,
    )


@pytest.mark.anyio
async def test_a_recorded_conversation_reads_like_a_real_one(tmp_path):
    with recorder(tmp_path) as sample:
        sample.exchange("How do we migrate?", "In two steps.")
        sample.exchange("And back?", "The same way.")
        sample.compact("They planned a migration.")
        sample.exchange("Go", "Done.")
        sample.rename("Migration plan")
    store = SessionStore(tmp_path, rule=STRICT_0_2_1)
    (entry,) = (await store.list_sessions()).sessions
    assert (entry.header.id, entry.header.cwd) == ("session-1", "/home/dev/proj")
    surface = await store.read_surface("session-1")
    assert surface.title == "Migration plan"
    items = project(surface.nodes)
    assert "They planned a migration." in items[0].text
    assert [item.text for item in items[1:]] == ["The same way.", "Go", "Done."]
    assert surface.captured_through_seq == len(events_of(sample.path)) - 1


@pytest.mark.anyio
async def test_it_writes_what_the_harness_writes(tmp_path):
    class Scripted:
        speaker = SPEAKER

        async def respond(self, messages):
            return "an answer"

        async def summarize(self, messages):
            return "a summary"

    async with bench(tmp_path / "run", responder=Scripted()) as desk:
        session = await desk.session("one", "two")
        await desk.harness.compact(session)
        await desk.ask(session, "three")
        await desk.harness.rename(session, "name")
        run = desk.events(session)
    with recorder(tmp_path / "sample") as sample:
        sample.exchange("one", "an answer")
        sample.exchange("two", "an answer")
        sample.compact("a summary")
        sample.exchange("three", "an answer")
        sample.rename("name")
    written = events_of(sample.path)
    assert types(written) == types(run)
    for ours, theirs in zip(written, run, strict=True):
        assert ours["data"].keys() == theirs["data"].keys()
        assert ours.get("surfaceOp") == theirs.get("surfaceOp")
        assert ours.get("sourceEventSeqs") == theirs.get("sourceEventSeqs")


@pytest.mark.anyio
async def test_an_unanswered_prompt_is_an_interrupted_turn(tmp_path):
    with recorder(tmp_path) as sample:
        sample.ask("Anyone there?")
    surface = await SessionStore(tmp_path).read_surface("session-1")
    assert [item.text for item in project(surface.nodes)] == ["Anyone there?"]
    assert surface.captured_through_seq == len(events_of(sample.path)) + 1  # two closers


def test_an_answer_needs_a_question(tmp_path):
    with recorder(tmp_path) as sample:
        with pytest.raises(ValueError, match="ask first"):
            sample.answer("42")
        sample.compact("nothing yet")
        assert len(events_of(sample.path)) == 3


@pytest.mark.anyio
async def test_recorded_sessions_can_be_mentioned_and_continued(tmp_path):
    with recorder(tmp_path / "sessions", cwd=None) as sample:
        sample.exchange("one", "first")
    async with bench(tmp_path) as desk:
        target = await desk.session()
        receipt = await desk.ask(target, f"see {mention('session-1')}")
        assert [each["sessionId"] for each in receipt.references] == ["session-1"]
        await desk.ask("session-1", "two")
        texts = [entry.text for entry in await desk.harness.transcript("session-1")]
        assert texts == ["one", "first", "two", "You said: two"]


def test_the_same_clock_and_ids_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        with recorder(tmp_path / name) as sample:
            sample.exchange("one", "first")
    one, two = (
        next((tmp_path / name).glob("*/session-1/*.zstd")).read_bytes() for name in ("a", "b")
    )
    assert one == two
    assert len(frames_of(sample.path)) == 7
