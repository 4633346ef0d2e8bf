from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.event_types import KIND, STRICT_0_1_0, STRICT_0_1_5, STRICT_0_2_1
from dsh_lsp.core.log.keep import conversation_only
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.core.log.surface import Surface
from tests.support.linear import is_linear
from tests.support.log_script import Script
from tests.support.replaying import lines_of, replayed, texts

FORMATS = (0, 3, 4)
formats = pytest.mark.parametrize("version", FORMATS)


def session(version: int) -> Script:
    script = Script("s", version=version)
    script.policies()
    script.exchange("first prompt", "first answer")
    script.title("First")
    script.context(1_000_000)
    script.exchange("second prompt", "second answer")
    script.title("Second")
    return script


@formats
def test_surface_names_and_last_number(version):
    script = session(version)
    surface = replayed(script).finish()
    assert texts(surface) == ["first prompt", "first answer", "second prompt", "second answer"]
    assert surface.captured_through_seq == script.seq - 1
    assert (surface.title, surface.label, surface.context_window) == ("Second", None, 1_000_000)
    assert (surface.display_title, surface.warnings) == ("Second", ())


@formats
def test_an_empty_log(version):
    surface = replayed(Script("s", version=version)).finish()
    assert (surface.captured_through_seq, surface.nodes) == (None, ())
    assert surface.display_title == "s"


@formats
def test_compaction_again_and_again(version):
    script = session(version)
    script.compact("the first summary", keep_last=1)
    script.exchange("third prompt", "third answer")
    script.compact("the second summary", keep_last=1)
    seen = texts(replayed(script).finish())
    assert len(seen) == 2
    assert "the second summary" in seen[0]
    assert seen[1] == "third answer"


@formats
def test_an_interrupted_turn_is_closed_in_memory_only(version):
    script = session(version)
    script.begin("third prompt")
    script.answer("working", "call-1", "call-2")
    script.tool_call("call-1")
    script.tool_result("call-1", "done")
    replay = replayed(script)
    live, cold = replay.observe(), replay.finish()
    assert live.captured_through_seq == script.seq - 1
    assert cold.captured_through_seq == script.seq + 2  # a result, the step, the turn
    assert texts(live) == texts(cold)
    assert len(cold.nodes) == len(live.nodes) + 1
    assert cold.nodes[-1]["type"] == "tool/result"
    script.tool_result("call-2", "done too")
    script.end()
    lines = lines_of(script.events)
    for line in lines[-3:]:
        replay.feed(line)
    assert replay.finish() == replayed(script, lines).finish()


@formats
def test_closers_are_events_that_a_replay_accepts(version):
    script = session(version)
    script.begin("third prompt")
    script.answer("working", "call-1")
    replay = replayed(script)
    expected = replay.finish()
    for line in lines_of(map(dict, replay.closers())):
        replay.feed(line)
    assert replay.closers() == ()
    assert replay.finish() == expected


@formats
def test_the_tail_from_a_bad_line_on_is_dropped(version):
    lines = lines_of(session(version).events)
    titles = [place for place, line in enumerate(lines) if b"session/title" in line]
    torn = replayed(session(version), [*lines[: titles[1]], b"{not json", *lines[titles[1] :]])
    assert torn.finish().title == "First"
    assert len(texts(torn.finish())) == 4
    with pytest.raises(ReadFailedError, match=rf"line {titles[1] + 2} is not an event") as caught:
        torn.settle()
    assert caught.value.reason is ReadFault.CORRUPT


@formats
@pytest.mark.parametrize("bad", [b"", b"{", b"[]", b'{"type":"x"}', b'{"seq":0,"data":{}}'])
def test_a_bad_line_before_the_end_of_a_turn_is_damage(version, bad):
    lines = lines_of(session(version).events)
    with pytest.raises(ReadFailedError, match=r"line 4 ") as caught:
        replayed(session(version), [*lines[:2], bad, *lines[2:]])
    assert caught.value.reason is ReadFault.CORRUPT


@formats
def test_a_gap_names_both_numbers(version):
    lines = lines_of(session(version).events)
    with pytest.raises(ReadFailedError, match="line 5 holds event 4 where event 3 belongs"):
        replayed(session(version), [*lines[:3], *lines[4:]])


@pytest.mark.parametrize(
    ("version", "rule", "reason"),
    [
        (1, KIND, ReadFault.OLD_FORMAT),
        (2, KIND, ReadFault.OLD_FORMAT),
        (5, KIND, ReadFault.NEWER_FORMAT),
        (1, STRICT_0_1_0, ReadFault.NEWER_FORMAT),
        (4, STRICT_0_1_5, ReadFault.NEWER_FORMAT),
    ],
)
def test_formats_that_cannot_be_read(version, rule, reason):
    with pytest.raises(ReadFailedError, match=f"format {version}") as caught:
        replayed(Script("s", version=version), rule=rule)
    assert caught.value.reason is reason


def test_unknown_types_strict_and_kind():
    script = session(4)
    script.add("future/thing", {"x": 1})
    surface = replayed(script).finish()
    assert surface.captured_through_seq == script.seq - 1
    assert "future/thing" in surface.warnings[0]
    with pytest.raises(ReadFailedError, match="future/thing") as caught:
        replayed(script, rule=STRICT_0_2_1)
    assert caught.value.reason is ReadFault.UNKNOWN_EVENT


def test_many_unknown_types_make_one_bounded_warning():
    script = Script("s", version=4)
    for place in range(2_000):
        script.add(f"future/{place}" + "x" * 500 + "\u202e", {})
    (warning,) = replayed(script).finish().warnings
    assert len(warning) < 600
    assert "\u202e" not in warning
    assert "others" in warning


@pytest.mark.parametrize("rule", [KIND, STRICT_0_2_1])
def test_ignorable_unknown_events_only_count(rule):
    script = session(4)
    script.add("future/thing", {}, ignorable=True)
    surface = replayed(script, rule=rule).finish()
    assert (surface.captured_through_seq, surface.warnings) == (script.seq - 1, ())


@pytest.mark.parametrize("rule", [KIND, STRICT_0_2_1])
def test_an_unknown_type_on_the_surface_is_always_refused(rule):
    script = session(4)
    script.add("future/message", {}, surfaceOp="append", ignorable=True)
    with pytest.raises(ReadFailedError) as caught:
        replayed(script, rule=rule)
    assert caught.value.reason is ReadFault.UNKNOWN_EVENT


@formats
def test_a_wrong_surface_operation_is_damage(version):
    script = session(version)
    script.add("user/message", {"content": []}, surfaceOp={"op": "replace"})
    with pytest.raises(ReadFailedError, match="neither append nor replace"):
        replayed(script)
    script = session(version)
    script.add("turn/start", {"turn": 3}, surfaceOp="append")
    with pytest.raises(ReadFailedError, match="cannot be on the surface"):
        replayed(script)


@formats
def test_messages_of_errors_hold_no_session_text(version):
    script = session(version)
    script.begin("a secret")
    lines = [*lines_of(script.events), b'{"a secret', *lines_of(session(version).events)]
    with pytest.raises(ReadFailedError) as caught:
        replayed(script, lines)
    assert "secret" not in caught.value.message


@formats
def test_keeping_the_conversation_only_changes_no_projection(version):
    script = session(version)
    script.begin("with a tool")
    script.answer("calling", "call-1", stream=[{"type": "chunk"}])
    script.tool_result("call-1", "a long output " * 50)
    script.user("quoted sessions", {"kind": "session-reference", "references": []})
    script.end()
    whole = replayed(script).finish()
    replay = LogReplay(whole.header, KIND, conversation_only)
    for line in lines_of(script.events):
        replay.feed(line)
    small = replay.finish()
    assert texts(small) == texts(whole)
    assert [node["seq"] for node in small.nodes] == [node["seq"] for node in whole.nodes]
    assert "long output" not in json.dumps(small.nodes)
    assert "quoted" not in json.dumps(small.nodes)
    assert "stream" not in json.dumps(whole.nodes)


def test_a_copy_goes_on_alone():
    script = session(4)
    replay = replayed(script)
    before, script_length = replay.finish(), len(script.events)
    twin = replay.copy()
    script.begin("more")
    for line in lines_of(script.events)[script_length:]:
        twin.feed(line)
    twin.feed(b"torn")
    assert replay.finish() == before
    assert texts(twin.finish())[-1] == "more"
    replay.settle()


scalars = st.none() | st.booleans() | st.integers(-2, 40) | st.text("ab", max_size=2)
values = st.recursive(
    scalars | st.sampled_from(["append", "tool-call", "user"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["message", "content", "source", "kind", "type", "id", "text", "envelope", "reason"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
types = st.sampled_from([*sorted(KIND.known), "steering/message", "mode/set", "text-chunks", "x"])
operations = st.just("append") | st.fixed_dictionaries(
    {"op": st.just("replace"), "startSeq": st.integers(0, 5), "endSeq": st.integers(0, 5)}
)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(FORMATS),
    st.lists(
        st.tuples(
            types, values, st.none() | operations, st.integers(0, 30).map(lambda odd: odd == 0)
        )
        | st.binary(max_size=12)
        | values.map(lambda value: json.dumps(value).encode()),
        max_size=25,
    ),
    st.booleans(),
)
def test_any_lines_end_in_a_surface_or_one_clear_error(version, rows, whole):
    script = Script("s", version=version)
    lines = []
    for row in rows:
        if isinstance(row, bytes):
            lines.append(row)
            continue
        event_type, data, operation, odd = row
        fields = {} if operation is None else {"surfaceOp": operation}
        script.add(event_type, data, **fields)
        lines += [b"odd"] * odd + lines_of(script.events[-1:])
    try:
        replay = replayed(script, lines)
        if whole:
            replay.settle()
        surface: Surface | ReadFailedError = replay.finish()
    except ReadFailedError as error:
        surface = error
    if isinstance(surface, ReadFailedError):
        assert surface.message
        assert surface.reason in (ReadFault.CORRUPT, ReadFault.UNKNOWN_EVENT)
        return
    assert all(texts(surface))
    assert surface == replay.copy().finish()


@formats
def test_linear_in_the_log(version):
    def lines(turns: int) -> list[bytes]:
        script = Script("s", version=version)
        for turn in range(turns):
            script.exchange(f"prompt {turn}", "an answer")
            if turn % 5 == 4:
                script.compact("summary", keep_last=3)
        return lines_of(script.events)

    script = Script("s", version=version)
    logs = {turns: lines(turns) for turns in (100, 400)}
    assert is_linear(lambda turns: replayed(script, logs[turns]).finish(), 100, 400)
