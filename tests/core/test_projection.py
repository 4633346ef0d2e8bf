from __future__ import annotations

from typing import Any

import pytest

from dsh_lsp.core.projection import ConversationItem, is_checkpoint, project

USER = {"kind": "user"}


def blocks(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def user(content: Any, source: Any = USER, **more: Any) -> dict[str, Any]:
    data = {"role": "user", "content": content, "source": source, **more}
    return {"type": "user/message", "seq": 0, "data": data}


def assistant(content: Any) -> dict[str, Any]:
    return {"type": "assistant/message", "seq": 0, "data": {"message": {"content": content}}}


@pytest.mark.parametrize(
    ("source", "checkpoint"),
    [
        ({"kind": "plugin", "plugin": "compact"}, True),
        ({"kind": "plugin", "plugin": "compact", "compactionId": "c", "x": 1}, True),
        ({"kind": "compact-checkpoint"}, True),
        ({"kind": "plugin", "plugin": "compaction"}, False),
        ({"kind": "user", "plugin": "compact"}, False),
        (None, False),
        ("compact-checkpoint", False),
    ],
)
def test_checkpoints_of_every_format(source, checkpoint):
    assert is_checkpoint(source) is checkpoint


def test_keeps_users_answers_and_checkpoints_and_nothing_else():
    nodes = [
        {"type": "system/message", "data": {"message": {"content": blocks("system")}}},
        user(blocks("summary"), {"kind": "compact-checkpoint"}),
        user(blocks("typed", "twice")),
        user(blocks("injected"), {"kind": "runtime-context"}),
        user(blocks("quoted"), {"kind": "session-reference", "references": []}),
        assistant([{"type": "reasoning", "text": "thinking"}, *blocks("answer", "")]),
        {"type": "tool/result", "data": {"message": {"content": blocks("output")}}},
        {"type": "developer/message", "data": {"message": {"content": blocks("developer")}}},
        assistant([{"type": "tool-call", "id": "c", "name": "n", "arguments": "{}"}]),
        user(blocks(" ")),
    ]
    assert project(nodes) == (
        ConversationItem("user", "summary", checkpoint=True),
        ConversationItem("user", "typed\ntwice"),
        ConversationItem("assistant", "answer\n"),
        ConversationItem("user", " "),
    )


def test_a_baked_prefix_is_not_quoted():
    envelope = {
        "displayContent": blocks("the request"),
        "prefixContexts": [{"source": {"kind": "session-reference"}}],
    }
    baked = blocks("## Referenced sessions …", "\n\n## My request:\n", "the request")
    assert project([user(baked, envelope=envelope)]) == (ConversationItem("user", "the request"),)


@pytest.mark.parametrize(
    "data",
    [None, [], "x", {}, {"source": USER}, {"source": USER, "content": "text"}],
)
def test_odd_shapes_have_no_text(data):
    assert project([{"type": "user/message", "data": data}]) == ()
    assert project([{"type": "assistant/message", "data": data}]) == ()


@pytest.mark.parametrize("block", [None, 3, "x", {"type": "text"}, {"type": "text", "text": 3}])
def test_odd_blocks_are_left_out(block):
    assert project([user([block, *blocks("rest")])]) == (ConversationItem("user", "rest"),)


def test_an_event_that_cannot_be_on_a_surface_is_refused():
    with pytest.raises(ValueError, match="cannot be on the surface"):
        project([{"type": "turn/start", "data": {}}])
