"""`dsh.send` with `keep`: what is kept, what forbids it, and how the outbox sends it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from dsh_lsp.core.uri import encode
from dsh_lsp.harness.delivery.course import begin
from dsh_lsp.harness.delivery.course import keep as kept_intent
from dsh_lsp.harness.port import (
    Description,
    HarnessError,
    Letter,
    Mode,
    NoHarnessError,
    Outgoing,
    Receipt,
    ReceiptState,
)
from dsh_lsp.server.state import State
from tests.support.memory_outbox import MemoryOutbox
from tests.support.scenes import IMPATIENT, URI, FakeHarness, make_state, open_document, run_command

A = f"@[Alpha]({encode('a')})"


class Desk:
    """One open document, and no harness until `come`."""

    def __init__(self, text: str) -> None:
        self.outbox = MemoryOutbox()
        self.harness = FakeHarness("t")
        self.harness.describes = self.harness.fault = NoHarnessError("none is running")
        patience = replace(IMPATIENT, receipt={})
        self.state: State = make_state(harness=self.harness, outbox=self.outbox, patience=patience)
        open_document(self.state, text)

    def come(self) -> None:
        self.harness.describes, self.harness.fault = Description("fake", "1"), None

    def ask(self, name: str, **argument: Any) -> dict[str, Any]:
        return asyncio.run(run_command(self.state, name, **argument))

    def keep(self, target: str | None = "t", **more: Any) -> dict[str, Any]:
        argument = {"uri": URI, "keep": True, **({"target": target} if target else {}), **more}
        return self.ask("dsh.send", **argument)


def codes(answer: dict[str, Any]) -> list[str]:
    """What forbids it."""
    found = answer["problems"]
    return [problem["code"] for problem in found if problem["severity"] == "error"]


def test_a_prompt_is_kept_while_there_is_no_harness_and_sent_when_there_is_one() -> None:
    desk = Desk(f"see {A}\nand more")
    refused = desk.ask("dsh.send", uri=URI, target="t", mode="steer")
    assert (refused["status"], codes(refused)) == ("refused", ["no-harness"])
    kept = desk.keep(mode="steer", range={"start": place(0), "end": place(1)})
    assert (kept["status"], kept["sessionId"], codes(kept)) == ("kept", "t", [])
    assert [each["code"] for each in kept["problems"]] == ["unknown-target"]  # as far as one sees
    assert (kept["text"], len(kept["references"])) == ("see @Alpha\n", 1)
    assert "receipt" not in kept
    status = desk.ask("dsh.status")
    assert (status["pendingSends"], status["keptPrompts"]) == (1, 1)
    (item,) = desk.ask("dsh.outbox")["items"]
    assert (item["standing"], item["mayBeSentAgain"]) == ("kept", True)
    assert (item["message"], item["document"]) == ("it is kept, not sent yet", URI)
    still = desk.ask("dsh.outbox", resend=kept["requestId"])
    assert codes(still) == ["no-harness"]
    assert [each["standing"] for each in still["items"]] == ["kept"]

    desk.come()
    recorded = ({"sessionId": "a", "capturedThroughSeq": 1000},)
    desk.harness.receipts = [Receipt(ReceiptState.CAPTURED, message_seq=7, references=recorded)]
    sent = desk.ask("dsh.outbox", resend=kept["requestId"])
    assert sent["receipt"] == {"state": "captured", "messageSeq": 7}
    assert (sent["items"], sent["problems"]) == ([], [])
    assert desk.harness.sent == [Outgoing(kept["requestId"], "t", f"see {A}\n", Mode.STEER)]
    assert codes(desk.ask("dsh.outbox", resend=kept["requestId"])) == ["not-sent-again"]
    assert len(desk.harness.sent) == 1


def place(line: int) -> dict[str, int]:
    return {"line": line, "character": 0}


def test_nothing_is_sent_by_keeping_even_while_a_harness_is_there() -> None:
    desk = Desk("hello")
    desk.come()
    assert desk.keep()["status"] == "kept"
    assert desk.ask("dsh.outbox")["items"][0]["standing"] == "kept"
    assert desk.harness.sent == []


@pytest.mark.parametrize(
    ("text", "target", "code"),
    [
        ("hello", None, "no-target"),
        ("hello", "new", "needs-session"),
        ("---\ndsh:\n  session: new\n---\nhello", None, "needs-session"),
        (" \n", "t", "empty-prompt"),
        (f"to {A}", "a", "SESSION_REFERENCE_SELF_REFERENCE"),
        (f"@[x]({encode('nobody')})", "t", "SESSION_REFERENCE_READ_FAILED"),
        ("@[x](dsh-session:bad=)", "t", "SESSION_REFERENCE_INVALID_REFERENCE"),
    ],
)
def test_what_forbids_sending_forbids_keeping(text: str, target: str | None, code: str) -> None:
    desk = Desk(text)
    answer = desk.keep(target)
    assert (answer["status"], codes(answer)) == ("refused", [code])
    assert (desk.outbox.intents, desk.harness.created) == ([], [])


def test_another_version_is_not_kept() -> None:
    desk = Desk("hello")
    assert codes(desk.keep(version=9)) == ["document-changed"]
    assert desk.outbox.intents == []


def test_a_full_disk_refuses_keeping() -> None:
    desk = Desk("hello")
    desk.outbox.fails = True
    answer = desk.keep()
    assert (answer["status"], codes(answer)) == ("refused", ["harness-refused"])
    assert "No space left" in answer["problems"][0]["message"]


def test_an_equal_prompt_is_kept_once_and_not_sent_beside_it() -> None:
    desk = Desk("hello")
    first = desk.keep()
    again = desk.keep()
    assert (again["status"], codes(again)) == ("pending", ["already-kept"])
    desk.come()
    sent = desk.ask("dsh.send", uri=URI, target="t")
    assert (sent["status"], codes(sent)) == ("pending", ["already-kept"])
    assert (len(desk.outbox.intents), desk.harness.sent) == (1, [])
    assert desk.ask("dsh.outbox", discard=first["requestId"])["items"] == []
    assert desk.ask("dsh.send", uri=URI, target="t")["status"] == "accepted"


def test_two_that_keep_at_the_same_time_keep_once() -> None:
    desk = Desk("hello")

    async def main() -> list[dict[str, Any]]:
        argument = {"uri": URI, "target": "t", "keep": True}
        return await asyncio.gather(
            *(run_command(desk.state, "dsh.send", **argument) for _ in range(2))
        )

    first, second = asyncio.run(main())
    assert first == second
    assert [each.outgoing.request_id for each in desk.outbox.intents] == [first["requestId"]]


def test_an_equal_prompt_in_doubt_is_not_kept_beside_it() -> None:
    desk = Desk("hello")
    desk.outbox.put(begin(Letter(Outgoing("r1", "t", "hello", Mode.QUEUE)), 5))
    answer = desk.keep()
    assert (answer["status"], codes(answer)) == ("pending", ["already-sent"])


@pytest.mark.parametrize("command", ["dsh.login", "dsh.startHarness"])
def test_whoever_gets_a_harness_is_told_how_many_prompts_are_kept(command: str) -> None:
    desk = Desk("hello")
    desk.keep()
    for name, make in (("r1", kept_intent), ("r2", begin)):
        desk.outbox.put(make(Letter(Outgoing(name, "t", name, Mode.QUEUE)), 5))

    async def enter(_: str | None) -> Description:
        return Description("dsh", "1")

    desk.state.services = replace(desk.state.services, login=enter, start=enter)
    answer = desk.ask(command, link="http://127.0.0.1:3080")
    assert answer == {
        "harness": {"name": "dsh", "version": "1"},
        "harnessProblem": None,
        "keptPrompts": 2,
    }


def test_a_harness_that_resolves_no_mentions_leaves_it_kept() -> None:
    desk = Desk(f"see {A}")
    kept = desk.keep()
    desk.come()
    desk.harness.resolves = False
    answer = desk.ask("dsh.outbox", resend=kept["requestId"])
    assert codes(answer) == ["not-sent-again"]
    assert "resolves no mentions" in answer["problems"][0]["message"]
    assert [each["standing"] for each in answer["items"]] == ["kept"]
    assert desk.harness.sent == []


def test_a_session_that_the_harness_does_not_know_leaves_it_kept() -> None:
    desk = Desk("hello")
    kept = desk.keep("elsewhere")
    desk.come()
    answer = desk.ask("dsh.outbox", resend=kept["requestId"])
    assert codes(answer) == ["unknown-target"]
    assert [each["standing"] for each in answer["items"]] == ["kept"]


def test_a_harness_that_refuses_it_leaves_it_kept() -> None:
    desk = Desk("hello")
    kept = desk.keep()
    desk.come()
    desk.harness.fault = HarnessError("too long")
    assert codes(desk.ask("dsh.outbox", resend=kept["requestId"])) == ["harness-refused"]
    assert desk.ask("dsh.outbox")["items"][0]["standing"] == "kept"
