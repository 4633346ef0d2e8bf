from __future__ import annotations

import pytest

from dsh_lsp.core.log.open_turn import OpenTurn
from tests.support.log_script import Script


def closers(script: Script, version: int = 4) -> list[str]:
    turn = OpenTurn()
    for event in script.events:
        turn.apply(event)
    return [event["type"] for event in turn.closers(script.seq, version)]


def test_nothing_to_close():
    script = Script("s", version=4)
    assert closers(script) == []
    script.exchange("prompt", "answer")
    assert closers(script) == []


def test_a_turn_without_a_step():
    script = Script("s", version=4)
    script.add("turn/start", {"turn": 1})
    assert closers(script) == ["turn/end"]


def test_calls_without_results_then_the_step_then_the_turn():
    script = Script("s", version=4)
    script.begin("prompt")
    script.answer("", "a", "b", "a")
    assert closers(script) == ["tool/result", "tool/result", "step/end", "turn/end"]
    script.tool_result("b", "done")
    assert closers(script) == ["tool/result", "step/end", "turn/end"]


def test_a_step_that_ended_leaves_no_calls():
    script = Script("s", version=4)
    script.begin("prompt")
    script.answer("", "a")
    script.add("step/end", {"turn": 1, "step": 1})
    assert closers(script) == ["turn/end"]
    script.add("step/start", {"turn": 1, "step": 2})
    assert closers(script) == ["step/end", "turn/end"]


@pytest.mark.parametrize(("version", "role"), [(0, "user"), (3, "user"), (4, "tool")])
def test_closers_have_the_shape_of_their_format(version, role):
    script = Script("s", version=version)
    script.begin("prompt")
    script.answer("", "a")
    turn = OpenTurn()
    for event in script.events:
        turn.apply(event)
    result, step, end = turn.closers(script.seq, version)
    assert result["data"]["message"]["role"] == role
    assert result["surfaceOp"] == "append"
    assert step["data"] == {"turn": 1, "step": 1}
    assert end["data"] == {"turn": 1, "reason": {"kind": "interrupted"}}
    assert [event["seq"] for event in (result, step, end)] == [*range(script.seq, script.seq + 3)]
    assert {event["time"] for event in (result, step, end)} == {script.events[-1]["time"]}
