"""What the mock model does on request arrives in the logs of both hosts."""

from __future__ import annotations

import json

import pytest

from tests.support.hosts import Host
from tests.support.hosts_logs import await_turn, eventually, records
from tests.support.hosts_releases import MIDDLE
from tests.support.hosts_wire import HostCaller
from tests.support.mock_model import SUMMARY, TITLE
from tests.support.mock_model_request import Purpose
from tests.support.mock_model_script import Call, Say, long_text

COMPLETED = {"kind": "completed"}


def answers(host: Host, session: str) -> list[str]:
    """The texts of the answers that a log holds."""
    return [
        "".join(block["text"] for block in blocks if block["type"] == "text")
        for record in records(host, session)
        if record["type"] == "assistant/message"
        for blocks in [record["data"]["message"]["content"]]
    ]


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("Just this", ["Echo: Just this"]),
        ("Do\n!say two words", ["two words"]),
        ('!say "two\\nlines \\ud83c\\udf89 <b>"', ["two\nlines 🎉 <b>"]),
        ("!slow 4 20", ["word0 word1 word2 word3 "]),
        ("!long 70000", [long_text(70_000)]),
        ("!think hard\n!say done", ["done"]),
        ('!say I look\n!call glob {"pattern": "*"}', ["I look", "The tool has answered."]),
    ],
)
def test_an_answer_is_recorded(
    prompt: str, said: list[str], host: Host, caller: HostCaller
) -> None:
    session = caller.create()
    assert await_turn(host, session, caller.prompt(session, prompt)) == COMPLETED
    assert answers(host, session) == said


@pytest.mark.parametrize(
    ("prompt", "code"), [("!refuse 400", "INVALID_REQUEST"), ("!refuse 401", "AUTH")]
)
def test_a_refusal_ends_the_turn(prompt: str, code: str, host: Host, caller: HostCaller) -> None:
    session = caller.create()
    reason = await_turn(host, session, caller.prompt(session, prompt))
    assert (reason["kind"], reason["error"]["code"]) == ("error", code)
    assert answers(host, session) == []


def test_a_broken_connection_is_tried_again(host: Host, caller: HostCaller) -> None:
    session = caller.create()
    request = caller.prompt(session, "(cut once)\n!cut")
    eventually(lambda: host.model.seen("(cut once)"), "the first try")
    host.model.rule("(cut once)", Say("The second try."))
    assert await_turn(host, session, request) == COMPLETED
    assert answers(host, session)[-1] == "The second try."


def test_a_hanging_answer_can_be_cancelled(host: Host, caller: HostCaller) -> None:
    session = caller.create()
    request = caller.prompt(session, "(hangs)\n!say half\n!hang")
    eventually(lambda: host.model.seen("(hangs)"), "the model is asked")
    caller.cancel(session)
    assert await_turn(host, session, request)["kind"] == "aborted"


def test_an_answer_is_held_until_it_is_released(host: Host, caller: HostCaller) -> None:
    session = caller.create()
    request = caller.prompt(session, "(held)\n!hold gate\n!say at last")
    eventually(lambda: host.model.seen("(held)"), "the model is asked")
    assert answers(host, session) == []
    host.model.release("gate")
    assert await_turn(host, session, request) == COMPLETED
    assert answers(host, session) == ["at last"]
    host.model.hold("gate")


def test_a_rule_comes_before_what_the_prompt_says(host: Host, caller: HostCaller) -> None:
    host.model.rule("(ruled)", Say("by rule"), Call("todo_write", {"todos": []}))
    session = caller.create()
    assert await_turn(host, session, caller.prompt(session, "(ruled)\n!say no")) == COMPLETED
    assert answers(host, session) == ["by rule", "The tool has answered."]


def test_titles_and_summaries_come_from_the_model(host: Host, caller: HostCaller) -> None:
    if host.release is MIDDLE:
        pytest.skip("as shipped, dsh 0.1.2rc1 lacks the package that asks for titles")
    session = caller.create()
    await_turn(host, session, caller.prompt(session, "Some talk"))
    eventually(lambda: TITLE in _titles(host, session), "the model's title")
    assert caller.command(session, "/compact")["kind"] == "success"
    eventually(lambda: SUMMARY in json.dumps(records(host, session)), "the summary")
    assert {request.purpose for request in host.model.requests} >= set(Purpose)


def _titles(host: Host, session: str) -> list[str]:
    log = records(host, session)
    return [record["data"]["title"] for record in log if record["type"] == "session/title"]
