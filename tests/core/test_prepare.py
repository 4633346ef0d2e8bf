"""Accepting untrusted references and preparing the whole message, or nothing."""

from __future__ import annotations

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.budget import DEFAULT_BUDGET
from dsh_lsp.core.failures import (
    BudgetExceededError,
    InvalidReferenceError,
    SelfReferenceError,
    SessionReferenceError,
    TooManyReferencesError,
)
from dsh_lsp.core.javascript import parse, utf8_length
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.measure import Measurements, measure
from dsh_lsp.core.mentions import Reference
from dsh_lsp.core.prepare import accept, prepare, read_references
from dsh_lsp.core.retention import Snapshot
from tests.support.fake_query import make_surface

ids = st.sampled_from(["a", "b", "c", "d", "me"])
references = st.lists(st.builds(Reference, ids, st.text(max_size=3)), max_size=8)


@given(references, st.sampled_from(["me", "a", None]), st.integers(1, 3))
def test_accepts_the_first_mention_of_each_source_or_says_why_not(asked, target_id, limit):
    firsts = list({each.session_id: each for each in reversed(asked)}.values())[::-1]
    firsts.sort(key=asked.index)
    fault: type[SessionReferenceError] | None = None
    if target_id in {each.session_id for each in asked}:
        fault = SelfReferenceError
    elif len(firsts) > limit:
        fault = TooManyReferencesError
    if fault is None:
        accepted = accept(asked, target_id=target_id, max_references=limit)
        assert [id(each) for each in accepted] == [id(each) for each in firsts]
    else:
        with pytest.raises(fault):
            accept(asked, target_id=target_id, max_references=limit)


@pytest.mark.parametrize(
    ("values", "index"),
    [
        ([{"sessionId": "a"}, 5], 1),
        ([None], 0),
        (["a"], 0),
        ([[{"sessionId": "a"}]], 0),
        ([{}], 0),
        ([{"sessionId": True}], 0),
        ([{"sessionId": "a", "label": None}], 0),
        ([{"sessionId": "a", "label": 1}], 0),
    ],
)
def test_untrusted_references_are_checked(values, index):
    with pytest.raises(InvalidReferenceError, match=f"reference {index}"):
        list(read_references(values))


def test_untrusted_references_default_their_label_and_may_hold_more():
    values = [{"sessionId": "\ud800"}, {"sessionId": "b", "label": "", "more": [1]}]
    assert list(read_references(values)) == [Reference("\ud800", "\ud800"), Reference("b", "")]


def test_faults_of_untrusted_references_come_in_order():
    me, bad = {"sessionId": "me"}, {"sessionId": 1}
    with pytest.raises(SelfReferenceError):
        accept(read_references([me, bad]), target_id="me", max_references=3)
    with pytest.raises(InvalidReferenceError):
        accept(read_references([bad, me]), target_id="me", max_references=3)


def test_a_message_without_references_comes_back_alone():
    prepared = prepare("hi \ud800", (), {}, Limits())
    assert (prepared.text, prepared.sources, prepared.context) == ("hi \ud800", (), None)


def test_a_prepared_message_holds_its_sources_in_order():
    surfaces = {
        "a": make_surface("a", "one <1>", title="Title of a"),
        "b": make_surface("b", "two", cwd=None, label="agent"),
    }
    asked = (Reference("b", "B"), Reference("a", "A"))
    prepared = prepare("@B and @A", asked, surfaces, Limits())
    assert [each.snapshot.session_id for each in prepared.sources] == ["b", "a"]
    assert [each.display_title for each in prepared.sources] == ["agent", "Title of a"]
    assert [each.format_version for each in prepared.sources] == [4, 4]
    assert prepared.context is not None
    assert prepared.context.source["references"][1]["sessionId"] == "a"
    before, _, inside = prepared.context.text.partition("<referenced-sessions>\n")
    json, _, _ = inside.partition("\n</referenced-sessions>")
    assert before.startswith("## Referenced sessions\n")
    assert [each["label"] for each in parse(json)] == ["B", "A"]
    assert "<" not in json


@pytest.mark.parametrize("bad", ["a", "b"])
def test_one_source_over_its_budget_fails_the_whole_message_and_is_named(bad):
    surfaces = {each: make_surface(each, "x", title=f"Title of {each}") for each in "ab"}
    asked = [Reference(each, "L" * (500 if each == bad else 1)) for each in "ab"]
    with pytest.raises(BudgetExceededError, match=f"Title of {bad}"):
        prepare("", asked, surfaces, Limits(max_reference_bytes=200))


def test_the_largest_label_of_less_than_signs_just_fits_the_default_budget():
    surface = make_surface("s", "x")
    fixed = measure(surface, "", DEFAULT_BUDGET)
    assert isinstance(fixed, Snapshot)
    room = DEFAULT_BUDGET - utf8_length(fixed.json)
    snapshot = measure(surface, "<" * (room // 6), DEFAULT_BUDGET)
    assert isinstance(snapshot, Snapshot)
    assert snapshot.size <= DEFAULT_BUDGET
    assert isinstance(measure(surface, "<" * (room // 6 + 20), DEFAULT_BUDGET), BudgetExceededError)


def test_errors_of_overlong_labels_and_titles_stay_short():
    surface = make_surface("s", "x", title="\u202e\n" + "T" * 10_000)
    failure = measure(surface, "l" * 100_000, 1000)
    assert isinstance(failure, SessionReferenceError)
    assert len(failure.message) < 400
    assert not set(failure.message) & set("\u202e\n")
    with pytest.raises(SelfReferenceError) as caught:
        accept([Reference("s", "l" * 100_000)], target_id="s", max_references=3)
    assert len(caught.value.message) < 400


def test_measurements_are_remembered_per_surface_label_and_budget():
    remembered = Measurements()
    surface, same = make_surface("s", "x"), make_surface("s", "x")
    first = remembered.measure(surface, "l", 1000)
    assert remembered.measure(surface, "l", 1000) is first
    assert remembered.measure(same, "l", 1000) is not first
    assert remembered.measure(same, "l", 1000) == first
    assert remembered.measure(surface, "m", 1000) != first
    assert remembered.measure(surface, "l", 1001) != first
    failed = remembered.measure(surface, "l", 1)
    assert isinstance(failed, BudgetExceededError)
    assert remembered.measure(surface, "l", 1) is failed


def test_measurements_stay_few_and_never_keep_a_surface():
    remembered = Measurements()
    surface = make_surface("s", "x")
    for number in range(100):
        snapshot = remembered.measure(surface, str(number), 1000)
        assert isinstance(snapshot, Snapshot)
        assert snapshot.label == str(number)
    (held,) = remembered._measured.values()
    assert len(held.results) < 20
    del surface
    gc.collect()
    assert remembered._measured == {}


def test_a_snapshot_is_searched_for_secrets_as_it_will_be_sent():
    surface = make_surface("s", "AKIAABCDEFGHIJKLMNOP", *["x" * 300] * 10)
    remembered = Measurements()
    whole, cut = (remembered.measure(surface, "l", budget) for budget in (65536, 600))
    assert isinstance(whole, Snapshot)
    assert isinstance(cut, Snapshot)
    assert remembered.credential(whole) is not None
    assert remembered.credential(cut) is None
