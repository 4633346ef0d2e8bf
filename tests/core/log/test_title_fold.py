from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.event_types import KIND, STRICT_0_1_0, STRICT_0_2_1
from dsh_lsp.core.log.facts import LogFacts
from tests.support.log_script import Script
from tests.support.replaying import lines_of, replayed, titled

FORMATS = (0, 3, 4)


def session(version: int) -> Script:
    script = Script("s", version=version)
    script.add("subagent/descriptor", {"version": 3, "label": "Check <it>"})
    script.title("First")
    script.exchange("a prompt", "an answer, packed")
    script.context(8_000)
    script.title('Second "title"\n')
    return script


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4, 5])
def test_names_of_every_format(version):
    assert titled(session(version)).facts == LogFacts('Second "title"\n', "Check <it>", 8_000)


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("spacing", [(",", ": "), (" ,\t", " :  "), (",", ":")])
@pytest.mark.parametrize("escape", [str, lambda text: text.replace("/", "\\/")])
def test_any_spelling_of_the_same_json(version, spacing, escape):
    script = session(version)
    orders = (list, lambda record: list(record)[::-1])
    for order in orders:
        records = [{key: record[key] for key in order(record)} for record in script.events]
        lines = [escape(json.dumps(record, separators=spacing)).encode() for record in records]
        assert titled(script, lines).facts == titled(script).facts


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(FORMATS),
    st.lists(
        st.tuples(st.integers(0, 12), st.sampled_from(["drop", "double", "odd", "blank"])),
        max_size=2,
    ),
    st.sampled_from([KIND, STRICT_0_2_1]),
)
def test_agrees_with_the_replay_on_damaged_logs(version, damages, rule):
    rule = STRICT_0_1_0 if version == 0 and rule is not KIND else rule
    script = session(version)
    lines = lines_of(script.events)
    for place, damage in damages:
        if damage == "drop":
            del lines[place % len(lines)]
        else:
            odd = {"double": lines[place % len(lines)], "odd": b"{odd}", "blank": b""}[damage]
            lines.insert(place, odd)

    def told(read):
        try:
            read = read(script, lines, rule)
            facts = read.facts if hasattr(read, "facts") else read.finish()
        except ReadFailedError as error:
            return error.reason, error.message
        return facts.title, facts.label, facts.context_window

    assert told(titled) == told(replayed)


def test_wrong_values_change_nothing():
    script = session(4)
    script.add("session/title", {"title": None})
    script.add("session/title", "x")
    script.add("subagent/descriptor", {"label": 5})
    for window in (True, 0, -5, "8", None, 1.5):
        script.add("request/context", {"contextWindow": window})
    assert titled(script).facts == titled(session(4)).facts


def test_a_strict_rule_opens_no_newer_log_and_no_unknown_event():
    with pytest.raises(ReadFailedError) as caught:
        titled(session(1), rule=STRICT_0_1_0)
    assert caught.value.reason is ReadFault.NEWER_FORMAT
    script = session(4)
    script.add("future/thing", {})
    assert titled(script).facts.title is not None
    with pytest.raises(ReadFailedError) as caught:
        titled(script, rule=STRICT_0_2_1)
    assert caught.value.reason is ReadFault.UNKNOWN_EVENT


def test_a_copy_goes_on_alone():
    fold = titled(session(4))
    twin = fold.copy()
    twin.feed(b"torn")
    with pytest.raises(ReadFailedError):
        twin.settle()
    fold.settle()
    assert twin.facts == fold.facts
