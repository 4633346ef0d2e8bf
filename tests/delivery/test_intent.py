"""The file of an intent: what is written reads back, and nothing else is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.harness.delivery.intent import (
    Intent,
    Phase,
    is_request_id,
    read_intent,
    write_intent,
)
from dsh_lsp.harness.port import Letter, Mode, Outgoing

javascript_strings = st.text(st.characters(codec=None), max_size=40)
counts = st.integers(0, 2**53 - 1)

facts = st.dictionaries(
    st.text(max_size=8),
    st.none() | st.booleans() | counts | st.text(max_size=8),
    max_size=4,
)

intents = st.builds(
    Intent,
    st.builds(
        Letter,
        st.builds(
            Outgoing,
            st.from_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}", fullmatch=True),
            javascript_strings,
            javascript_strings,
            st.sampled_from(Mode),
            st.none() | st.just("Europe/Berlin"),
        ),
        st.lists(facts, max_size=3).map(tuple),
        st.none() | javascript_strings,
    ),
    counts,
    counts,
    st.integers(0, 99),
    st.sampled_from(Phase),
)


@given(intents)
def test_what_is_written_reads_back(intent: Intent) -> None:
    assert write_intent(read_intent(write_intent(intent))) == write_intent(intent)
    back = read_intent(write_intent(intent))
    assert back.outgoing.request_id == intent.outgoing.request_id
    assert back.phase is intent.phase
    assert back.attempted_at == intent.attempted_at


@given(intents, st.data())
def test_a_damaged_record_is_refused_or_another_whole_one(intent: Intent, data: Any) -> None:
    record = bytearray(write_intent(intent))
    start = data.draw(st.integers(0, len(record)))
    record[start : start + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    try:
        found = read_intent(bytes(record))
    except ValueError:
        return
    assert is_request_id(found.outgoing.request_id)
    assert read_intent(write_intent(found)) == found


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists) | facts)
def test_other_json_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_intent(json.dumps(value).encode())


GOOD = {
    "format": 1, "requestId": "r-1", "sessionId": "s", "text": "t", "mode": "queue",
    "timeZone": None, "references": [], "document": None, "createdAt": 1, "attemptedAt": 1,
    "attempts": 1, "phase": "sending",
}  # fmt: skip

WRONG = [
    ({"format": 2}, "another version"),
    ({"format": True}, "another version"),
    ({"requestId": "../x"}, "requestId"),
    ({"requestId": "r\n"}, "requestId"),
    ({"requestId": 7}, "requestId"),
    ({"text": None}, "text"),
    ({"mode": "later"}, "later"),
    ({"timeZone": 2}, "timeZone"),
    ({"references": {}}, "references"),
    ({"references": [1]}, "references"),
    ({"createdAt": -1}, "createdAt"),
    ({"createdAt": True}, "createdAt"),
    ({"attempts": 1.5}, "attempts"),
    ({"phase": "gone"}, "gone"),
    ({"more": 1}, "members"),
]


def test_the_format_itself() -> None:
    assert read_intent(json.dumps(GOOD).encode()).outgoing.text == "t"


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_each_member_is_checked(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_intent(json.dumps(GOOD | change).encode())


@pytest.mark.parametrize("value", ["", "-a", ".a", "a/b", "a\n", "a" * 65, "ä", "a.json"])
def test_what_cannot_name_a_file(value: str) -> None:
    assert not is_request_id(value)
