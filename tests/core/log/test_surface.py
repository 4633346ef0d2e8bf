from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.core.log.dialects import FORMATS_3_AND_4
from dsh_lsp.core.log.events import Event
from dsh_lsp.core.log.node_list import NodeList
from dsh_lsp.core.log.source_seqs import check_covering_sources
from dsh_lsp.core.log.surface import fold
from dsh_lsp.core.log.surface_fold import SurfaceFold
from tests.support.linear import is_linear


def message(seq: int, operation: object = "append", **fields: object) -> dict[str, object]:
    data = {"role": "user", "content": [], "source": {"kind": "user"}}
    event = {"type": "user/message", "seq": seq, "time": seq, "data": data}
    return {**event, "surfaceOp": operation, **fields}


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[dict[str, object]], list[int]]:
    """A valid log of format 0, and its surface by the naive model: a plain list."""
    events: list[dict[str, object]] = []
    surface: list[int] = []
    for seq in range(draw(st.integers(0, 30))):
        kind = draw(st.sampled_from(["log", "append", "append", "replace"]))
        if kind == "log":
            events.append({"type": "step/start", "seq": seq, "time": seq, "data": {}})
        elif kind == "append" or not surface:
            events.append(message(seq))
            surface.append(seq)
        else:
            first = draw(st.integers(0, len(surface) - 1))
            last = draw(st.integers(first, len(surface) - 1))
            operation = {"op": "replace", "start": surface[first], "end": surface[last]}
            gone = surface[first : last + 1]
            events.append(message(seq, operation, sourceEventSeqs=list(reversed(gone))))
            surface[first : last + 1] = [seq]
    return events, surface


@settings(deadline=None)
@given(logs())
def test_equals_a_plain_list(log):
    events, surface = log
    folded = fold(events)
    assert [node["seq"] for node in folded.nodes] == surface
    shadowed = {seq for replacement in folded.replacements for seq in replacement.shadowed_seqs}
    assert shadowed.isdisjoint(surface)
    appended = {event["seq"] for event in events if "surfaceOp" in event}
    assert shadowed | set(surface) == appended


@settings(deadline=None)
@given(logs(), st.data())
def test_a_log_with_a_gap_is_refused_by_number(log, data):
    events, _ = log
    place = data.draw(st.integers(0, len(events)))
    broken = [*events[:place], message(place + 1), *events[place:]]
    with pytest.raises(ValueError, match=f"event {place} has another number"):
        fold(broken)


@pytest.mark.parametrize(
    ("sources", "fault"),
    [
        (None, "without naming"),
        ([0], "event 1 without naming"),
        ([[0, 1]], None),
        ([[0, 5], [0, 0]], None),
        ([1, 0, [2, 4]], None),
        ([[1, 0]], "neither event numbers nor ranges"),
        (["0", 1], "neither event numbers nor ranges"),
        ([True], "neither event numbers nor ranges"),
    ],
)
def test_sources_of_later_writers_may_be_ranges(sources, fault):
    event = message(2, {"op": "replace", "start": 0, "end": 1}, sourceEventSeqs=sources)
    shadowed: list[tuple[int, Event]] = [(0, message(0)), (1, message(1))]
    if fault is None:
        check_covering_sources(event, 2, shadowed)
        return
    with pytest.raises(ValueError, match=fault):
        check_covering_sources(event, 2, shadowed)


def test_formats_3_and_4_name_ranges_otherwise_and_know_five_types():
    surface = SurfaceFold(FORMATS_3_AND_4)
    types = ["system/message", "user/message", "developer/message", "tool/result"]
    for seq, event_type in enumerate(types):
        surface.apply({**message(seq), "type": event_type}, seq)
    surface.apply({"type": "user/message", "seq": 4, "data": {}}, 4)  # no operation: log only
    replace = {"op": "replace", "startSeq": 1, "endSeq": 2}
    assert surface.apply(message(5, replace), 5) == (1, 2)
    assert [node["seq"] for node in surface.nodes()] == [0, 5, 3]
    with pytest.raises(ValueError, match="neither append nor replace"):
        surface.apply(message(6, {"op": "replace", "start": 0, "end": 0}), 6)
    with pytest.raises(ValueError, match="cannot be on the surface"):
        surface.apply({**message(6), "type": "step/start"}, 6)


def test_a_copy_goes_on_alone():
    nodes = NodeList()
    nodes.append(0, message(0))
    twin = nodes.copy()
    twin.replace(twin.between(0, 0), 1, message(1))
    assert ([*nodes], [*twin]) == ([message(0)], [message(1)])
    assert (len(nodes), len(twin)) == (1, 1)


def compacting(size: int) -> list[dict[str, object]]:
    """A long log that is compacted at every tenth message, from its first node on."""
    events: list[dict[str, object]] = []
    first = 0
    for seq in range(size):
        if seq % 10 == 9:
            operation = {"op": "replace", "start": first, "end": seq - 1}
            sources = [first, *range(max(first + 1, seq - 9), seq)]
            events.append(message(seq, operation, sourceEventSeqs=sources))
            first = seq
        else:
            events.append(message(seq))
    return events


def pruning(size: int) -> list[dict[str, object]]:
    """As many messages as replacements, each of one node, from the oldest on."""
    half = size // 2
    prunes = [
        message(
            half + place, {"op": "replace", "start": place, "end": place}, sourceEventSeqs=[place]
        )
        for place in range(half)
    ]
    return [*map(message, range(half)), *prunes]


@pytest.mark.parametrize("make", [compacting, pruning])
def test_linear_however_often_a_log_is_compacted(make):
    logs = {size: make(size) for size in (1_500, 6_000)}
    assert is_linear(lambda size: fold(logs[size]), 1_500, 6_000)
