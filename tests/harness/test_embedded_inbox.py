"""Inbox and ledger as values, against a plain list, and live state against a replay of the log."""

from __future__ import annotations

import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.harness.embedded.inbox import Inbox, Queue, Splice, read_splice
from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.embedded.message import Message, prompt
from dsh_lsp.harness.embedded.responder import model_input
from dsh_lsp.harness.port import HarnessError, Mode
from tests.support.embedded import Held, bench, mention

MESSAGES = [prompt(f"m{n}", f"text {n}", request_id=f"r{n}") for n in range(6)]


def filled(turn=(), step=()):
    inbox = Inbox()
    for mode, messages in ((Mode.QUEUE, turn), (Mode.STEER, step)):
        for message in messages:
            inbox = inbox.spliced(inbox.append(mode, message))
    return inbox


def after(inbox, splices):
    for splice in splices:
        inbox = inbox.spliced(splice)
    return inbox


def test_a_turn_takes_all_steers_and_one_prompt():
    inbox = filled(turn=MESSAGES[:2], step=MESSAGES[2:4])
    taken = [message for splice in inbox.claim_turn() for message in inbox.removed(splice)]
    assert taken == [MESSAGES[2], MESSAGES[3], MESSAGES[0]]
    assert after(inbox, inbox.claim_turn()).pending == (MESSAGES[1],)


def test_a_step_takes_all_steers_and_no_prompt():
    inbox = filled(turn=MESSAGES[:2], step=MESSAGES[2:4])
    assert after(inbox, inbox.claim_step()).pending == tuple(MESSAGES[:2])
    assert filled(turn=MESSAGES[:2]).claim_step() == ()


def test_what_waits_for_a_step_comes_first():
    assert filled(turn=MESSAGES[:1], step=MESSAGES[1:2]).pending == (MESSAGES[1], MESSAGES[0])


def test_changes_are_recorded_as_a_host_records_them():
    inbox = filled(turn=MESSAGES[:2])
    edit, remove = inbox.edit("m1", "new")[0].data(), inbox.remove("m0")[0].data()
    move = [splice.data() for splice in inbox.steer("m1")]
    assert remove == {
        "target": "next-turn",
        "start": 0,
        "removedCount": 1,
        "inserted": [],
        "outcome": "canceled",
    }
    assert (edit["start"], edit["removedCount"], edit["outcome"]) == (1, 1, "canceled")
    assert [dict(block) for block in edit["inserted"][0]["content"]] == [
        {"type": "text", "text": "new"}
    ]
    assert [each["target"] for each in move] == ["next-turn", "next-step"]
    assert "outcome" not in move[1]


def test_moving_a_steer_to_where_it_is_changes_nothing():
    assert filled(step=MESSAGES[:1]).steer("m0") == ()


def test_what_does_not_wait_cannot_be_changed():
    for change in (
        lambda inbox: inbox.edit("m5", "x"),
        lambda inbox: inbox.remove("m5"),
        lambda inbox: inbox.steer("m5"),
    ):
        with pytest.raises(HarnessError, match="waits no more"):
            change(filled(turn=MESSAGES[:1]))


@pytest.mark.parametrize(("start", "removed"), [(-1, 0), (0, 2), (2, 0), (1, 1)])
def test_a_change_out_of_range_is_refused(start, removed):
    with pytest.raises(ValueError, match="range"):
        filled(turn=MESSAGES[:1]).spliced(Splice(Queue.NEXT_TURN, start, removed))


@given(st.data())
def test_splices_do_what_slices_of_lists_do(data):
    inbox = Inbox()
    models: dict[Queue, list[Message]] = {queue: [] for queue in Queue}
    for _ in range(data.draw(st.integers(0, 12))):
        queue = data.draw(st.sampled_from(Queue))
        model = models[queue]
        start = data.draw(st.integers(0, len(model)))
        removed = data.draw(st.integers(0, len(model) - start))
        inserted = tuple(data.draw(st.lists(st.sampled_from(MESSAGES), max_size=3)))
        splice = Splice(queue, start, removed, inserted, discards=data.draw(st.booleans()))
        assert read_splice(splice.data()) == splice
        gone = inbox.removed(splice)
        assert list(gone) == model[start : start + removed]
        inbox = inbox.spliced(splice)
        model[start : start + removed] = inserted
    assert {queue: list(messages) for queue, messages in inbox.queues.items()} == models


KINDS = (
    *("queue", "steer", "bad", "mention", "answer"),
    *("edit", "remove", "move", "cancel", "compact"),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(KINDS), max_size=14))
def test_a_log_replays_into_the_state_that_was_live(actions):
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_live_equals_replayed, Path(folder), actions)


async def _live_equals_replayed(root, actions):
    responder = Held()
    async with bench(root, responder=responder) as desk:
        source, session = await desk.session(), await desk.session()
        requests = []
        for action in actions:
            pending = (await desk.harness.inbox(session)).pending
            match action:
                case "queue" | "steer":
                    requests.append(await desk.send(session, f"say {action}", Mode(action)))
                case "bad":
                    requests.append(await desk.send(session, f"see {mention('unknown')}"))
                case "mention":
                    requests.append(await desk.send(session, f"see {mention(source)}"))
                case "answer":
                    responder.release()
                case "cancel":
                    await desk.harness.cancel(session)
                case "compact":
                    responder.release(len(actions))
                    await desk.harness.compact(session, "summary")
                case "edit" if pending:
                    await desk.harness.edit(session, pending[-1].id, "edited")
                case "remove" if pending:
                    await desk.harness.remove(session, pending[-1].id)
                case "move" if pending:
                    await desk.harness.steer(session, pending[-1].id)
            await anyio.wait_all_tasks_blocked()
        responder.release(len(actions) + 1)
        await desk.idle(session)
        live = await desk.harness.read_surface(session)
        receipts = [await desk.harness.receipt(session, each) for each in requests]
        pending = (await desk.harness.inbox(session)).pending
        events = desk.events(session)
        assert desk.surface(session) == live
        assert model_input(desk.surface(session).nodes) == model_input(live.nodes)
        ledger = Ledger()
        for event in events:
            ledger.apply(event)
        assert [ledger.receipt(each) for each in requests] == receipts
        assert ledger.inbox.pending == pending
    async with bench(root) as again:
        assert [await again.harness.receipt(session, each) for each in requests] == receipts
        assert (await again.harness.inbox(session)).pending == pending
        await again.harness.rename(session, "opened")
        assert model_input((await again.harness.read_surface(session)).nodes) == model_input(
            live.nodes
        )
        assert [await again.harness.receipt(session, each) for each in requests] == receipts
