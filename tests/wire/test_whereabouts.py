"""Finding a prompt in a log by its request id, against a model of the inbox."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.harness.wire.whereabouts import Stage, Whereabouts, find_request, in_words

REFERENCE = {"sessionId": "other", "omittedBytes": 0}


class Session:
    """A session's two queues and log, as a host would keep them."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.queues: dict[str, list[dict[str, Any]]] = {"next-turn": [], "next-step": []}
        self.count = 0

    def write(self, kind: str, data: Any) -> int:
        seq = len(self.events)
        self.events.append({"type": kind, "seq": seq, "time": seq, "data": data})
        return seq

    def splice(
        self, queue: str, start: int, removed: int, inserted: list[Any], *, drop: bool = False
    ) -> list[Any]:
        data: dict[str, Any] = {"target": queue, "start": start, "inserted": inserted}
        if removed:
            data["removedCount"] = removed
        if drop:
            data["outcome"] = "canceled"
        self.write("agent/inbox/spliced", data)
        taken = self.queues[queue][start : start + removed]
        self.queues[queue][start : start + removed] = inserted
        return taken

    def send(self, request_id: str, queue: str = "next-turn") -> dict[str, Any]:
        self.count += 1
        message = {
            "id": f"m{self.count}",
            "role": "user",
            "content": [{"type": "text", "text": "x"}],
            "source": {"kind": "user", "rpcId": request_id},
        }
        self.splice(queue, len(self.queues[queue]), 0, [message])
        return message

    def take(self) -> list[Any]:
        """Begin a turn with everything that a host would take."""
        self.write("turn/start", {"turn": 1})
        count = len(self.queues["next-step"])
        steps = self.splice("next-step", 0, count, []) if count else []
        turn = self.splice("next-turn", 0, 1, []) if self.queues["next-turn"] else []
        return [*steps, *turn]

    def record(self, messages: list[Any], *, cites: bool = False) -> None:
        for message in messages:
            self.write("user/message", message)
            if cites:
                source = {"kind": "session-reference", "references": [REFERENCE, "odd"]}
                self.write("user/message", {"id": "r", "source": source, "content": []})

    def end(self, reason: Any) -> None:
        self.write("turn/end", {"turn": 1, "reason": reason})

    def find(self, request_id: str) -> Whereabouts:
        return find_request(self.events, request_id)


def test_a_prompt_from_the_queue_to_its_end() -> None:
    session = Session()
    assert session.find("a") == Whereabouts()
    first = session.send("other")
    message = session.send("a")
    expected = Whereabouts(Stage.QUEUED, place=2, message_id=message["id"], copies=1)
    assert session.find("a") == expected
    assert session.take() == [first]
    assert session.find("a").place == 1
    session.end({"kind": "completed"})
    taken = session.take()
    assert session.find("a").stage is Stage.TAKEN
    session.record(taken, cites=True)
    found = session.find("a")
    assert (found.stage, found.message_seq, found.reason) == (Stage.RECORDED, 7, None)
    assert found.references == (REFERENCE,)
    session.end({"kind": "completed"})
    assert session.find("a").reason == "completed"
    assert session.find("a").copies == 1


REASONS = [
    ({"kind": "error", "error": {"message": "no such\nsession", "code": "UNKNOWN"}}, "no such"),
    ({"kind": "blocked"}, "blocked"),
    ({"kind": "interrupted"}, "interrupted"),
    ({"kind": "aborted", "reason": {"kind": "user"}}, "aborted"),
    ({"kind": "error", "error": "odd"}, "error"),
    (None, "unknown"),
    ({}, "unknown"),
    ({"kind": 3}, "unknown"),
]


@pytest.mark.parametrize(("reason", "words"), REASONS)
def test_a_turn_that_ends_before_the_prompt_is_recorded(reason: Any, words: str) -> None:
    session = Session()
    session.send("a")
    session.take()
    session.end(reason)
    found = session.find("a")
    assert found.stage is Stage.ENDED
    assert found.reason is not None
    assert found.reason.startswith(words)
    assert "\n" not in found.reason
    session.send("a")  # the same request may be sent again
    assert session.find("a").stage is Stage.QUEUED
    assert session.find("a").copies == 2


def test_reasons_are_bounded() -> None:
    assert len(in_words({"error": {"message": "w" * 100_000}})) <= 400


def test_edits_moves_and_removals() -> None:
    session = Session()
    session.send("b")
    message = session.send("a")
    session.splice("next-turn", 1, 1, [{**message, "content": []}], drop=True)  # edited
    assert session.find("a") == Whereabouts(Stage.QUEUED, 2, message["id"], copies=1)
    (moved,) = session.splice("next-turn", 1, 1, [], drop=True)
    assert session.find("a").stage is Stage.ENDED
    session.splice("next-step", 0, 0, [moved])
    assert session.find("a").place == 1
    assert session.find("b").place == 2  # what waits for the next step goes first
    session.splice("next-step", 0, 1, [], drop=True)
    found = session.find("a")
    assert (found.stage, found.copies) == (Stage.ENDED, 1)
    assert "removed" in (found.reason or "")


def test_a_prompt_that_a_host_ran_twice_is_seen() -> None:
    session = Session()
    for _ in range(2):
        session.send("a")
        session.record(session.take())
        session.end({"kind": "completed"})
    found = session.find("a")
    assert (found.stage, found.copies) == (Stage.RECORDED, 2)
    assert found.message_seq == 3  # the first one counts


def test_a_stretch_that_begins_anywhere_before_the_prompt_says_the_same() -> None:
    session = Session()
    for _ in range(3):
        session.send("x")
    session.take()
    session.end({"kind": "completed"})
    start = len(session.events)
    session.send("a")
    session.take()
    assert find_request(session.events[start:], "a").place == 2
    assert session.find("a").place == 2


ODD: list[Any] = [
    {},
    {"type": "agent/inbox/spliced"},
    {"type": "agent/inbox/spliced", "data": []},
    {"type": "agent/inbox/spliced", "data": {"target": 1, "start": 0}},
    {"type": "agent/inbox/spliced", "data": {"target": "next-turn", "start": -1}},
    {"type": "agent/inbox/spliced", "data": {"target": "next-turn", "start": 0, "inserted": 3}},
    {
        "type": "agent/inbox/spliced",
        "data": {"target": "next-turn", "start": 99, "removedCount": 7, "inserted": [None, {}]},
    },
    {"type": "user/message", "data": {"source": {"rpcId": 3}}},
    {"type": "user/message", "seq": "x", "data": {"source": []}},
    {"type": ["turn/end"], "data": {}},
]


def test_odd_events_say_nothing() -> None:
    session = Session()
    message = session.send("a")
    session.events += ODD
    assert session.find("a") == Whereabouts(Stage.QUEUED, 1, message["id"], copies=1)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["send", "steer", "mine", "take", "record", "fail", "drop"])))
def test_against_a_model(steps: list[str]) -> None:
    session = Session()
    taken: list[Any] = []
    expected = Stage.NOWHERE
    for step in steps:
        if step in ("send", "steer"):
            session.send("other", "next-step" if step == "steer" else "next-turn")
        elif step == "mine" and expected is Stage.NOWHERE:
            session.send("mine")
            expected = Stage.QUEUED
        elif step == "take" and not taken:
            taken = session.take()
            if any(is_mine(message) for message in taken):
                expected = Stage.TAKEN
        elif step == "record" and taken:
            session.record(taken)
            expected = Stage.RECORDED if any(map(is_mine, taken)) else expected
            taken = []
            session.end({"kind": "completed"})
        elif step == "fail" and taken:
            session.end({"kind": "error"})
            expected = Stage.ENDED if any(map(is_mine, taken)) else expected
            taken = []
        elif step == "drop" and session.queues["next-turn"]:
            dropped = session.splice("next-turn", 0, 1, [], drop=True)
            expected = Stage.ENDED if any(map(is_mine, dropped)) else expected
        found = session.find("mine")
        assert found.stage is expected
        assert found.place == place(session)


def place(session: Session) -> int | None:
    waiting = session.queues["next-step"] + session.queues["next-turn"]
    places = [place for place, message in enumerate(waiting, 1) if is_mine(message)]
    return places[0] if places else None


def is_mine(message: Any) -> bool:
    return bool(message["source"]["rpcId"] == "mine")
