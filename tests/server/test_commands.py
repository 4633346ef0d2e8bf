"""Commands as functions: what they answer, refuse and do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.uri import encode
from dsh_lsp.harness.port import (
    HarnessError,
    LoginError,
    Mode,
    NoHarnessError,
    OutcomeUnknownError,
    Receipt,
    ReceiptState,
)
from dsh_lsp.server.failures import ArgumentError, UnknownDocumentError
from dsh_lsp.server.state import State
from dsh_lsp.sessions.query import Listing
from tests.support.fake_query import FakeQuery, make_surface
from tests.support.scenes import (
    URI,
    FakeHarness,
    make_state,
    open_document,
    query_of,
    run_command,
)

A, B = f"@[Alpha]({encode('a')})", f"@[Beta]({encode('b')})"


def ask(state: State, name: str, **argument: Any) -> dict[str, Any]:
    return asyncio.run(run_command(state, name, **{"uri": URI, **argument}))


def codes(answer: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in answer["problems"]]


def desk(text: str, harness: FakeHarness | None = None, **more: Any) -> tuple[State, FakeHarness]:
    """A state with one open document, and its harness."""
    harness = harness or FakeHarness("t")
    state = make_state(harness=harness, **more)
    open_document(state, text)
    return state, harness


def test_prepare_gives_text_sources_and_context() -> None:
    state, harness = desk(f"Compare {A} with {B}.")
    answer = ask(state, "dsh.prepare", version=1)
    assert answer["text"] == "Compare @Alpha with @Beta."
    assert [each["sessionId"] for each in answer["references"]] == ["a", "b"]
    assert answer["references"][0]["retainedMessages"] == 2
    assert "first of alpha" in answer["context"]
    assert answer["problems"] == []
    assert harness.sent == []


def test_front_matter_is_not_prepared_and_a_range_is_all_there_is() -> None:
    text = f"---\ndsh:\n  session: t\n---\nfirst {A}\nsecond {B}\n"
    state, _ = desk(text)
    assert ask(state, "dsh.prepare")["text"] == "first @Alpha\nsecond @Beta\n"
    place = {"start": {"line": 5, "character": 0}, "end": {"line": 6, "character": 0}}
    answer = ask(state, "dsh.prepare", range=place)
    assert answer["text"] == "second @Beta\n"
    assert [each["sessionId"] for each in answer["references"]] == ["b"]
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 5, "character": 0}}
    assert ask(state, "dsh.prepare", range=whole)["text"] == "first @Alpha\n"


def test_a_range_may_not_cut_a_mention() -> None:
    state, _ = desk(f"x {A} y")
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 6}}
    answer = ask(state, "dsh.prepare", range=place)
    assert codes(answer) == ["cut-mention"]
    assert answer["text"] is None


def test_errors_outside_a_range_do_not_forbid_it() -> None:
    state, _ = desk(f"{A}\n@[x](dsh-session:bad=)\n")
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    assert codes(ask(state, "dsh.prepare", range=place)) == []
    assert codes(ask(state, "dsh.prepare")) == ["SESSION_REFERENCE_INVALID_REFERENCE"]


def test_preview_is_a_document_and_copying_one_text() -> None:
    state, _ = desk(f"Look at {A}")
    preview = ask(state, "dsh.preview")
    assert preview["document"].startswith("# What will be sent")
    assert "Look at @Alpha" in preview["document"]
    copied = ask(state, "dsh.copyPrepared")
    assert copied["text"].endswith("Look at @Alpha")
    assert copied["text"].startswith(preview["context"])


def test_send_records_and_tells_the_receipt() -> None:
    state, harness = desk(f"Compare {A}")
    answer = ask(state, "dsh.send", version=1, target="t", mode="steer")
    assert answer["status"] == "accepted"
    assert answer["sessionId"] == "t"
    assert answer["mode"] == "steer"
    assert answer["receipt"] == {
        "state": "captured",
        "messageSeq": 7,
        "differences": [
            {"sessionId": "a", "fact": "recorded", "prepared": True, "recorded": False}
        ],
    }
    assert codes(answer) == ["snapshot-differs"]
    (sent,) = harness.sent
    assert (sent.text, sent.mode, sent.session_id) == (f"Compare {A}", Mode.STEER, "t")
    assert sent.request_id == answer["requestId"]


def test_mentions_are_not_sent_to_a_harness_that_resolves_none() -> None:
    state, harness = desk(f"Compare {A}")
    harness.resolves = False
    answer = ask(state, "dsh.send", target="new")
    assert (answer["status"], codes(answer)) == ("refused", ["cannot-resolve"])
    assert (harness.sent, harness.created) == ([], [])
    open_document(state, "Compare nothing", version=2)
    assert ask(state, "dsh.send", target="t")["status"] == "accepted"


def test_mentions_are_expanded_where_that_is_wished_and_needed() -> None:
    state, harness = desk(f"Compare {A}", settings={"send": {"expand": True}})
    harness.resolves = False
    answer = ask(state, "dsh.send", target="t")
    assert (answer["status"], codes(answer)) == ("accepted", ["expanded-here"])
    assert answer["receipt"] == {"state": "captured", "messageSeq": 7, "expanded": True}
    (sent,) = harness.sent
    assert sent.text == ask(state, "dsh.copyPrepared")["text"]
    assert sent.text.endswith("Compare @Alpha")
    assert "first of alpha" in sent.text


@pytest.mark.parametrize("resolves", [True, None])
def test_mentions_are_left_to_a_harness_that_may_resolve_them(resolves: bool | None) -> None:
    state, harness = desk(f"Compare {A}", settings={"send": {"expand": True}})
    harness.resolves = resolves
    answer = ask(state, "dsh.send", target="t")
    assert [each.text for each in harness.sent] == [f"Compare {A}"]
    assert "expanded" not in answer["receipt"]


def test_without_a_target_nothing_is_sent_or_guessed() -> None:
    state, harness = desk("hello", FakeHarness("only"))
    answer = ask(state, "dsh.send")
    assert answer["status"] == "refused"
    assert codes(answer) == ["no-target"]
    assert harness.sent == []
    assert harness.created == []


def test_without_a_harness_no_target_is_asked_for_and_everything_else_is_told() -> None:
    harness = FakeHarness()
    harness.describes = NoHarnessError("none is running; start one")
    state, _ = desk("@[x](dsh-session:bad=)", harness)
    answer = ask(state, "dsh.send")
    assert codes(answer) == ["no-harness", "SESSION_REFERENCE_INVALID_REFERENCE"]
    assert answer["problems"][0]["message"] == "none is running; start one"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"to {A}", "SESSION_REFERENCE_SELF_REFERENCE"),
        (f"@[x]({encode('nobody')})", "SESSION_REFERENCE_READ_FAILED"),
        ("@[x](dsh-session:bad=)", "SESSION_REFERENCE_INVALID_REFERENCE"),
        (f"@[{'<' * 10_909}]({encode('b')})", "SESSION_REFERENCE_BUDGET_EXCEEDED"),
        (" \n ", "empty-prompt"),
    ],
)
def test_errors_forbid_sending(text: str, code: str) -> None:
    state, harness = desk(text, FakeHarness("a"))
    answer = ask(state, "dsh.send", target="a")
    assert answer["status"] == "refused"
    assert code in codes(answer)
    assert harness.sent == []


def test_four_distinct_sources_are_too_many() -> None:
    query = query_of(*(make_surface(name, "hi", title=name) for name in "abcd"))
    text = " ".join(f"@[{name}]({encode(name)})" for name in "abcda")
    state, harness = desk(text, query=query)
    answer = ask(state, "dsh.send", target="t")
    assert answer["status"] == "refused"
    assert codes(answer).count("SESSION_REFERENCE_TOO_MANY") == 1
    assert harness.sent == []


def test_errors_forbid_even_when_diagnostics_are_off() -> None:
    off = {"diagnostics": {"enabled": False}}
    state, harness = desk(f"@[x]({encode('nobody')})", settings=off)
    assert ask(state, "dsh.send", target="t")["status"] == "refused"
    assert harness.sent == []


def test_another_version_is_refused() -> None:
    state, harness = desk("hello")
    answer = ask(state, "dsh.send", version=2, target="t")
    assert (answer["status"], codes(answer)) == ("refused", ["document-changed"])
    assert codes(ask(state, "dsh.prepare", version=0)) == ["document-changed"]
    assert harness.sent == []


def test_a_change_while_the_session_is_created_is_refused() -> None:
    class Typing(FakeHarness):
        async def create_session(self, cwd):
            open_document(state, "hello!", version=2)
            return await super().create_session(cwd)

    state, harness = desk("hello", Typing())
    answer = ask(state, "dsh.send", target="new")
    assert (answer["status"], codes(answer)) == ("refused", ["document-changed"])
    assert harness.sent == []
    assert state.created == {URI: "session-new-1"}


def test_new_creates_once_and_then_means_that_session() -> None:
    state, harness = desk("---\ndsh:\n  session: new\n  cwd: /else\n  mode: steer\n---\nhello")
    first = ask(state, "dsh.send")
    assert (first["status"], first["sessionId"]) == ("accepted", "session-new-1")
    assert first["mode"] == "steer"
    open_document(state, "---\ndsh:\n  session: new\n---\nmore", version=2)
    assert ask(state, "dsh.send")["sessionId"] == "session-new-1"
    assert harness.created == ["/else"]
    assert [sent.text for sent in harness.sent] == ["hello", "more"]


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (OutcomeUnknownError("lost the line"), "unknown", "outcome-unknown"),
        (HarnessError("too long"), "refused", "harness-refused"),
        (NoHarnessError("it went away"), "refused", "no-harness"),
        (LoginError("who are you"), "refused", "needs-login"),
    ],
)
def test_what_the_harness_says(fault: HarnessError, status: str, code: str) -> None:
    state, _ = desk("hello", FakeHarness("t", fault=fault))
    answer = ask(state, "dsh.send", target="t")
    assert (answer["status"], codes(answer)) == (status, [code])
    assert "receipt" not in answer


def test_a_target_that_the_harness_does_not_know() -> None:
    state, _ = desk("hello", FakeHarness())
    assert codes(ask(state, "dsh.send", target="t")) == ["unknown-target"]


def test_a_receipt_is_followed_until_the_prompt_is_taken_up() -> None:
    harness = FakeHarness("t")
    harness.receipts = [
        Receipt(ReceiptState.WAITING),
        Receipt(ReceiptState.QUEUED, place=1),
        Receipt(ReceiptState.ENDED, reason="the model is gone"),
    ]
    state, _ = desk("hello", harness)
    receipt = ask(state, "dsh.send", target="t")["receipt"]
    assert receipt == {"state": "ended", "reason": "the model is gone"}


def test_a_receipt_tells_where_the_recorded_snapshot_differs() -> None:
    harness = FakeHarness("t")
    recorded = {"sessionId": "a", "capturedThroughSeq": 99, "retainedMessages": 2}
    harness.receipts = [Receipt(ReceiptState.CAPTURED, references=(recorded,))]
    state, _ = desk(f"see {A}", harness)
    assert ask(state, "dsh.send", target="t")["receipt"]["differences"] == [
        {"sessionId": "a", "fact": "capturedThroughSeq", "prepared": 1, "recorded": 99}
    ]


def test_a_double_click_sends_once() -> None:
    async def main() -> None:
        state, harness = desk("hello")
        one, two = await asyncio.gather(
            *(run_command(state, "dsh.send", uri=URI, target="t") for _ in range(2))
        )
        three = await run_command(state, "dsh.send", uri=URI, target="t")
        assert one == two == three
        assert len(harness.sent) == 1
        open_document(state, "hello again", version=2)
        assert (await run_command(state, "dsh.send", uri=URI, target="t")) != one
        assert len(harness.sent) == 2

    asyncio.run(main())


def test_a_refused_send_can_be_tried_again_at_once() -> None:
    async def main() -> None:
        state, harness = desk("hello")
        assert (await run_command(state, "dsh.send", uri=URI))["status"] == "refused"
        await run_command(state, "dsh.selectTarget", uri=URI, target="t")
        assert (await run_command(state, "dsh.send", uri=URI))["status"] == "accepted"
        assert len(harness.sent) == 1

    asyncio.run(main())


def test_cancelling_during_the_send_does_not_take_it_back() -> None:
    async def main() -> None:
        state, harness = desk("hello")
        reached, may_go_on = asyncio.Event(), asyncio.Event()

        async def pause() -> None:
            reached.set()
            await may_go_on.wait()

        harness.before_send = pause
        sending = asyncio.ensure_future(run_command(state, "dsh.send", uri=URI, target="t"))
        await reached.wait()
        sending.cancel()
        may_go_on.set()
        again = await run_command(state, "dsh.send", uri=URI, target="t")
        assert again["status"] == "accepted"
        assert len(harness.sent) == 1

    asyncio.run(main())


def test_choosing_a_target() -> None:
    state, _ = desk("hello", FakeHarness("a"))
    chosen = ask(state, "dsh.selectTarget", target="a")
    assert chosen == {
        "target": {
            "sessionId": "a", "new": False, "created": False, "source": "choice",
            "title": "Alpha", "cwd": "/w",
        },
        "problems": [],
    }  # fmt: skip
    refused = ask(state, "dsh.selectTarget", target="b")
    assert codes(refused) == ["unknown-target"]
    assert refused["target"]["sessionId"] == "a"
    assert ask(state, "dsh.selectTarget", target="new")["target"]["new"]
    assert ask(state, "dsh.selectTarget")["target"]["source"] is None


def test_without_a_harness_the_store_knows_the_targets() -> None:
    harness = FakeHarness()
    harness.describes = NoHarnessError("none")
    state, _ = desk("hello", harness)
    assert codes(ask(state, "dsh.selectTarget", target="a")) == []
    assert codes(ask(state, "dsh.selectTarget", target="nobody")) == ["unknown-target"]


def test_a_new_session_is_the_target_at_once() -> None:
    state, harness = desk("hello")
    target = ask(state, "dsh.newSession")["target"]
    assert (target["sessionId"], target["created"]) == ("session-new-1", True)
    assert harness.created == ["/w"]
    assert ask(state, "dsh.send")["sessionId"] == "session-new-1"


def test_the_session_picker() -> None:
    state, _ = desk("hello", settings={"target": {"session": "a"}})
    answer = ask(state, "dsh.sessions")
    assert answer["items"][0].pop("age").endswith(" ago")
    assert answer == {
        "items": [
            {
                "sessionId": "b", "uri": encode("b"), "mention": B, "displayTitle": "Beta",
                "title": "Beta", "label": None, "cwd": "/w", "createdAt": 1,
            }
        ],
        "incomplete": False,
    }  # fmt: skip
    everything = asyncio.run(run_command(state, "dsh.sessions", limit=1))
    assert [each["sessionId"] for each in everything["items"]] == ["a"]
    assert everything["incomplete"]
    assert ask(state, "dsh.sessions", query="no such")["items"] == []


def test_the_picker_of_targets_has_the_sessions_of_the_harness() -> None:
    own = query_of(make_surface("b", "first", title="Beta"), make_surface("c", title="Gamma"))
    state, _ = desk("hello", settings={"target": {"session": "b"}}, targets=own)
    found = ask(state, "dsh.sessions", **{"for": "target"})["items"]
    assert [each["sessionId"] for each in found] == ["b", "c"]  # the present one as well
    assert ask(state, "dsh.sessions")["items"][0]["sessionId"] == "a"


class _Unlistable(FakeQuery):
    async def list_sessions(self) -> Listing:
        raise ReadFailedError("the host has not answered", ReadFault.UNREADABLE)


@pytest.mark.parametrize("targets", [None, _Unlistable()])
def test_without_a_harness_any_session_of_the_store_can_be_chosen(
    targets: FakeQuery | None,
) -> None:
    state, _ = desk("hello", targets=targets)
    found = ask(state, "dsh.sessions", **{"for": "target"})["items"]
    assert [each["sessionId"] for each in found] == ["a", "b"]


def test_settings_that_are_wrong_are_in_the_status() -> None:
    state, _ = desk("hello")
    assert ask(state, "dsh.status")["settingFaults"] == []
    asyncio.run(state.configure({"colour": 1, "hover": {"enabled": "no"}}))
    faults = ask(state, "dsh.status")["settingFaults"]
    assert [each["path"] for each in faults] == ["dsh.colour", "dsh.hover.enabled"]


def test_the_status() -> None:
    state, _ = desk("hello", settings={"references": {"maxReferenceBytes": 700}})
    status = ask(state, "dsh.status", target="a")
    assert status["store"] == "memory"
    assert status["sessions"] == 2
    assert status["harness"] == {"name": "fake", "version": "1"}
    assert status["target"]["title"] == "Alpha"
    assert status["budget"]["bytes"] == 700
    without = asyncio.run(run_command(state, "dsh.status"))
    assert "target" not in without


def test_a_document_that_is_not_open_or_not_named() -> None:
    state, _ = desk("hello")
    with pytest.raises(UnknownDocumentError):
        ask(state, "dsh.prepare", uri="file:///other")
    with pytest.raises(ArgumentError, match="uri"):
        asyncio.run(run_command(state, "dsh.prepare"))
