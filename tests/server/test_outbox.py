"""The outbox as an editor meets it: one send for a double click, messages, and dsh.outbox."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from dsh_lsp.harness.delivery.course import begin
from dsh_lsp.harness.delivery.intent import Phase
from dsh_lsp.harness.port import (
    Difference,
    Letter,
    Mode,
    OutcomeUnknownError,
    Outgoing,
    Pending,
    Receipt,
    ReceiptState,
    Standing,
)
from dsh_lsp.server.outcome import needs_attention, news_message
from dsh_lsp.server.state import State
from tests.support.memory_outbox import MemoryOutbox
from tests.support.scenes import IMPATIENT, URI, FakeHarness, make_state, open_document, run_command


def desk(text: str = "hello", harness: FakeHarness | None = None) -> tuple[State, MemoryOutbox]:
    outbox = MemoryOutbox()
    patience = replace(IMPATIENT, receipt={})
    state = make_state(harness=harness or FakeHarness("t"), outbox=outbox, patience=patience)
    open_document(state, text)
    return state, outbox


def ask(state: State, name: str, **argument: Any) -> dict[str, Any]:
    return asyncio.run(run_command(state, name, **argument))


def left_behind(outbox: MemoryOutbox, text: str = "hello", *, accepted: bool = False) -> None:
    intent = begin(Letter(Outgoing("r1", "t", text, Mode.QUEUE), document=URI), 5)
    outbox.put(replace(intent, phase=Phase.ACCEPTED if accepted else Phase.UNKNOWN))


def codes(answer: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in answer["problems"]]


@pytest.mark.parametrize("target", ["t", "new"])
def test_an_equal_prompt_in_doubt_is_not_sent_beside_it(target: str) -> None:
    harness = FakeHarness("t")
    state, outbox = desk(harness=harness)
    left_behind(outbox)
    answer = ask(state, "dsh.send", uri=URI, target=target)
    assert (answer["status"], codes(answer)) == ("pending", ["already-sent"])
    assert (
        "its session does not have it, so it can be sent again" in answer["problems"][0]["message"]
    )
    assert (harness.sent, harness.created) == ([], [])
    ask(state, "dsh.outbox", discard="r1")
    assert ask(state, "dsh.send", uri=URI, target=target)["status"] == "accepted"


def test_a_lost_answer_is_kept_and_offered() -> None:
    state, outbox = desk(harness=FakeHarness("t", fault=OutcomeUnknownError("cut")))
    answer = ask(state, "dsh.send", uri=URI, target="t")
    assert (answer["status"], codes(answer)) == ("unknown", ["outcome-unknown"])
    status = ask(state, "dsh.status")
    assert (status["pendingSends"], status["keptPrompts"]) == (1, 0)
    (item,) = ask(state, "dsh.outbox")["items"]
    assert item["requestId"] == answer["requestId"]
    assert (item["text"], item["document"], item["standing"]) == ("hello", URI, "sending")
    assert len(outbox.intents) == 1


def test_sending_again_and_forgetting() -> None:
    harness = FakeHarness("t")
    state, outbox = desk(harness=harness)
    left_behind(outbox)
    answer = ask(state, "dsh.outbox", resend="r1")
    assert answer["receipt"] == {"state": "captured", "messageSeq": 7}
    assert (answer["items"], answer["problems"]) == ([], [])
    assert [each.request_id for each in harness.sent] == ["r1"]
    left_behind(outbox)
    refused = ask(state, "dsh.outbox", resend="r1")
    assert codes(refused) == ["not-sent-again"]
    assert len(harness.sent) == 1
    left_behind(outbox)
    assert ask(state, "dsh.outbox", discard="r1")["items"] == []
    assert codes(ask(state, "dsh.outbox", discard="r1")) == ["harness-refused"]


def test_a_prompt_that_waits_in_a_dead_queue_is_told_before_the_next_one() -> None:
    harness = FakeHarness("t")
    harness.sent.append(Outgoing("r1", "t", "earlier", Mode.QUEUE))
    dead = Receipt(ReceiptState.QUEUED, place=1, reason="nothing runs")
    harness.receipts = [dead, Receipt(ReceiptState.CAPTURED, message_seq=9)]
    state, outbox = desk(harness=harness)
    left_behind(outbox, "earlier", accepted=True)
    answer = ask(state, "dsh.send", uri=URI, target="t")
    assert (answer["status"], codes(answer)) == ("accepted", ["earlier-prompts"])
    assert answer["problems"][0]["severity"] == "warning"


def test_a_document_that_was_saved_between_two_clicks_is_sent_once() -> None:
    async def main() -> None:
        harness = FakeHarness("t")
        state, _ = desk(harness=harness)
        first = await run_command(state, "dsh.send", uri=URI, version=1, target="new")
        open_document(state, "hello", version=2)
        second = await run_command(state, "dsh.send", uri=URI, version=2, target="new")
        assert first == second
        assert len(harness.sent) == len(harness.created) == 1
        third = await run_command(state, "dsh.send", uri=URI, version=2, target="t")
        assert third["sessionId"] == "t"
        fourth = await run_command(state, "dsh.send", uri=URI, target="t", mode="steer")
        assert fourth["requestId"] != third["requestId"]

    asyncio.run(main())


OUTBOX = ":Dsh outbox"


def item(standing: Standing, receipt: Receipt | None = None, text: str = "hello") -> Pending:
    return Pending(Outgoing("r1", "s", text, Mode.QUEUE), URI, 5, standing, receipt)


def test_messages_say_what_is_and_what_can_be_done() -> None:
    captured = item(Standing.CAPTURED, Receipt(ReceiptState.CAPTURED, message_seq=7))
    assert not needs_attention([captured])
    assert news_message([captured], OUTBOX) == (
        "dsh-lsp: your prompt “hello”: it is in the log of its session as record 7."
    )
    missing = item(Standing.MISSING, text="\n" + "long\n" * 40)
    assert needs_attention([captured, missing])
    lines = news_message([captured, missing], OUTBOX).splitlines()
    assert len(lines) == 3
    assert "…”: its session does not have it, so it can be sent again." in lines[1]
    assert lines[2] == ":Dsh outbox lists them, sends one again, or forgets one."


def test_a_difference_is_told_with_both_values() -> None:
    different = Receipt(
        ReceiptState.CAPTURED,
        message_seq=7,
        differences=(Difference("a", "omittedBytes", 0, 5),),
    )
    assert needs_attention([item(Standing.CAPTURED, different)])
    message = news_message([item(Standing.CAPTURED, different)], OUTBOX)
    assert "omittedBytes is 5 instead of 0" in message
