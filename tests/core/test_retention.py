from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.core.failures import BudgetExceededError
from dsh_lsp.core.projection import ConversationItem
from dsh_lsp.core.retention import Snapshot, retain
from tests.support.linear import is_linear
from tests.support.naive_retention import NaiveResult, naive_retain

Message = tuple[Literal["user", "assistant"], str, bool]
ALPHABET = 'ab<"\\\n\t\x01é漢😀\ufeff'


texts = st.text(ALPHABET, min_size=1, max_size=60) | st.builds(
    lambda unit, times: unit * times, st.text(ALPHABET, min_size=1, max_size=5), st.integers(1, 80)
)
items = st.lists(
    st.tuples(st.sampled_from(["user", "assistant"]), texts, st.booleans()), max_size=9
)


def snapshot(conversation: list[Message], budget: int, label: str = "Plan") -> Snapshot:
    return retain(
        session_id="s",
        label=label,
        cwd=None,
        captured_through_seq=7,
        conversation=[ConversationItem(role, text, mark) for role, text, mark in conversation],
        budget=budget,
    )


@settings(max_examples=400, deadline=None)
@given(items, st.integers(60, 1500))
def test_equals_the_rule_followed_step_by_step(conversation, budget):
    fields = {"sessionId": "s", "label": "Plan", "cwd": None, "capturedThroughSeq": 7}
    expected = naive_retain(fields, conversation, budget)
    if expected is None:
        with pytest.raises(BudgetExceededError):
            snapshot(conversation, budget)
        return
    found = snapshot(conversation, budget)
    assert NaiveResult(found.json, found.omitted_messages, found.omitted_bytes) == expected


@settings(max_examples=300, deadline=None)
@given(items, st.integers(0, 1500), st.text(ALPHABET + "\ud800\udc00", max_size=12))
def test_never_over_budget_and_never_half_a_code_point(conversation, budget, label):
    try:
        found = snapshot(conversation, budget, label)
    except BudgetExceededError as error:
        assert "budget" in error.message  # noqa: PT017 - both outcomes are right
        return
    assert found.size == len(found.json.encode()) <= budget
    assert "<" not in found.json
    quoted = json.loads(found.json)["conversation"]
    assert [item["text"] for item in quoted] == [item.text for item in found.conversation]
    for item in found.conversation:
        kept = item.text.rpartition("\n[… omitted")[0] or item.text
        assert set(kept) <= set(ALPHABET + "[… omitted UTF-8 bytes…]0123456789")


@given(st.lists(st.text("a\ud83d\ude00\udc00é", min_size=1, max_size=40), min_size=1, max_size=4))
def test_lone_surrogates_become_replacements_when_cut(texts):
    conversation: list[Message] = [("user", text, True) for text in texts]
    whole = snapshot(conversation, 10_000)
    assert json.loads(whole.json)["conversation"][0]["text"].encode("utf-16", "surrogatepass")
    try:
        found = snapshot(conversation, 180)
    except BudgetExceededError:
        return
    assert len(found.json.encode()) == found.size <= 180


def test_facts_of_what_was_left_out():
    found = snapshot(
        [("user", "x" * 100, False), ("user", "sum", True), ("assistant", "é", False)], 190
    )
    assert (found.compacted, found.truncated) == (True, True)
    assert (found.original_messages, found.retained_messages) == (3, 2)
    assert (found.omitted_messages, found.omitted_bytes) == (1, 100)


def test_a_label_over_the_budget_fails_and_names_the_fix():
    with pytest.raises(BudgetExceededError, match="shorten the mention's label"):
        snapshot([], 65_536, "<" * 10_911)
    assert snapshot([], 65_536, "<" * 10_909).size <= 65_536


EQUAL_LENGTH = 90

SHAPES: dict[str, Callable[[int], list[Message]]] = {
    "plain": lambda size: [("user", f"message {place} é", False) for place in range(size)],
    "short answers": lambda size: [("assistant", "ok", False)] * size,
    "one huge text": lambda size: [("user", "ab<é" * size * 4, False)],
    "all checkpoints": lambda size: [("user", f"summary {place}", True) for place in range(size)],
    "equal texts": lambda size: [("user", "x" * EQUAL_LENGTH, True)] * size,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bytes_per_item", [4, 100])
def test_linear_in_the_conversation(shape, bytes_per_item):
    # Whether one round of cutting is enough depends on the last bytes of the overflow, so the
    # budgets go once around the length of the equal texts: then both sizes need as many rounds.
    def work(size: int) -> None:
        for extra in range(0, EQUAL_LENGTH, 6):
            with suppress(BudgetExceededError):
                snapshot(made[size], size * bytes_per_item + extra)

    made = {size: SHAPES[shape](size) for size in (400, 1_600)}
    assert is_linear(work, 400, 1_600)
