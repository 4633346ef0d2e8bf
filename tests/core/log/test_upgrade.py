from __future__ import annotations

from typing import Any

import pytest

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.log.upgrade import upgrade
from tests.support.log_script import Script, text
from tests.support.replaying import lines_of, replayed, texts, titled

MODEL = {"provider": "p", "model": "m"}
PLACE = {"turn": 1, "step": 1}


def event(event_type: str, data: Any) -> dict[str, Any]:
    return {"type": event_type, "seq": 7, "time": 1, "data": data}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            event("user/message", {"content": [], "source": {"kind": "user"}}),
            event(
                "user/message",
                {
                    "role": "user",
                    "id": "legacy-message:s:7",
                    "content": [],
                    "source": {"kind": "user"},
                },
            ),
        ),
        (
            event("steering/message", {"turn": 1, "content": [], "source": {"kind": "user"}}),
            event(
                "user/message",
                {
                    "role": "user",
                    "id": "legacy-message:s:7",
                    "content": [],
                    "source": {"kind": "user"},
                },
            ),
        ),
        (
            event("steering/message", {"turn": 1, "message": {"role": "user", "id": "m"}}),
            event("user/message", {"role": "user", "id": "m"}),
        ),
        (
            event("assistant/message", PLACE | {"content": [text("a")], "provenance": MODEL}),
            event(
                "assistant/message",
                PLACE
                | {
                    "message": {
                        "role": "assistant",
                        "content": [text("a")],
                        "source": {"kind": "model"} | MODEL,
                        "id": "legacy-message:s:7",
                    }
                },
            ),
        ),
        (
            event("tool/result", PLACE | {"callId": "c", "content": [text("o")], "isError": True}),
            event(
                "tool/result",
                PLACE
                | {
                    "message": {
                        "source": {"kind": "tool", "callId": "c"},
                        "content": [
                            {
                                "type": "tool-result",
                                "toolCallId": "c",
                                "content": [text("o")],
                                "isError": True,
                            }
                        ],
                        "role": "user",
                        "id": "legacy-message:s:7",
                    }
                },
            ),
        ),
        (event("turn/start", {"turn": 1, "trigger": {}}), event("turn/start", {"turn": 1})),
        (
            event("turn/end", {"turn": 1, "reason": {"kind": "aborted"}}),
            event(
                "turn/end", {"turn": 1, "reason": {"kind": "aborted", "reason": {"kind": "user"}}}
            ),
        ),
        (
            event("turn/end", {"turn": 1, "reason": {"kind": "disposed"}}),
            event(
                "turn/end",
                {"turn": 1, "reason": {"kind": "aborted", "reason": {"kind": "disposed"}}},
            ),
        ),
        (
            event("turn/end", {"turn": 1, "reason": {"kind": "error", "step": 1, "message": "no"}}),
            event(
                "turn/end",
                {
                    "turn": 1,
                    "reason": {"kind": "error", "error": {"code": "UNKNOWN", "message": "no"}},
                },
            ),
        ),
    ],
)
def test_older_forms(old, new):
    assert upgrade(old, "s") == new
    assert upgrade(new, "s") == new


@pytest.mark.parametrize(
    "record",
    [
        ("request/header-delta", {}),
        ("mode/set", {"mode": "x"}),
        ("request/header", {"header": {}, "reason": "fallback"}),
    ],
)
@pytest.mark.parametrize("read", [replayed, titled])
def test_records_that_no_harness_reads_any_more(record, read):
    script = Script("s", version=0)
    script.add(*record)
    with pytest.raises(ReadFailedError, match="stopped reading"):
        read(script)


def test_an_older_log_reads_like_a_current_one():
    script = Script("s", version=0)
    script.add("turn/start", {"turn": 1, "trigger": {"kind": "user"}})
    typed = {"content": [text("typed")], "source": {"kind": "user"}}
    script.add("user/message", typed, surfaceOp="append")
    answer = PLACE | {"content": [text("answer")], "provenance": MODEL}
    script.add("assistant/message", answer, surfaceOp="append")
    steer = {"turn": 1, "content": [text("steer")], "source": {"kind": "user"}}
    script.add("steering/message", steer, surfaceOp="append")
    baked = {"content": [text("snapshot"), text("asked")], "source": {"kind": "user"}, "turn": 1}
    envelope = {"displayContent": [text("asked")], "prefixContexts": []}
    script.add("steering/message", baked | {"envelope": envelope}, surfaceOp="append")
    script.add("turn/end", {"turn": 1, "reason": {"kind": "aborted"}})
    surface = replayed(script, lines_of(script.events)).finish()
    assert texts(surface) == ["typed", "answer", "steer", "asked"]
    assert surface.captured_through_seq == 5


def test_later_formats_are_not_upgraded():
    script = Script("s", version=3)
    script.add("steering/message", {"turn": 1})
    assert "steering/message" in replayed(script).finish().warnings[0]
