"""Values in replies: right ones are read, wrong ones refused, whatever they hold."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.harness.port import FoundFile, HostCandidate
from dsh_lsp.harness.wire import shapes
from dsh_lsp.harness.wire.errors import GarbageError
from dsh_lsp.sessions.hosted import HistoryPage, HostRow

ROW = {
    "sessionId": "s",
    "updatedAt": 5,
    "running": True,
    "cwd": "/w",
    "parentSessionId": "p",
    "origin": "subagent",
    "projections": {
        "kind": "sequenced",
        "asOfSeq": 7,
        "values": {
            "title": "T",
            "subagent": {"identity": {"mode": "one-shot", "label": "L"}},
            "contextPressure": {"contextWindow": 1000},
            "inbox": {"next-turn": [{}, {}], "next-step": [{}]},
        },
    },
}


def test_a_row() -> None:
    assert shapes.read_rows({"items": [ROW]}, "m") == (
        HostRow(
            session_id="s",
            updated_at=5,
            running=True,
            cwd="/w",
            parent_session="p",
            origin="subagent",
            title="T",
            label="L",
            context_window=1000,
            last_seq=7,
            attached=True,
            waiting=3,
        ),
    )


def test_a_row_of_an_older_host_tells_less() -> None:
    bare = {"sessionId": "s", "updatedAt": 5.0, "running": False, "blank": True}
    assert shapes.read_rows({"items": [bare]}, "m") == (HostRow("s", 5, running=False),)


WRONG_ROWS: list[Any] = [
    *(None, 1, "x", [], {}),
    {"sessionId": "", "updatedAt": 1},
    {"sessionId": 1, "updatedAt": 1},
    {"sessionId": "s"},
    {"sessionId": "s", "updatedAt": "1"},
    {"sessionId": "s", "updatedAt": True},
    {"sessionId": "s", "updatedAt": -1},
    {"sessionId": "s" * 1001, "updatedAt": 1},
]


def test_a_wrong_row_costs_only_itself() -> None:
    assert len(shapes.read_rows({"items": [*WRONG_ROWS, ROW]}, "m")) == 1


@pytest.mark.parametrize("value", [None, [], {}, {"items": None}, {"items": {}}, "x", 1])
def test_no_list(value: Any) -> None:
    with pytest.raises(GarbageError, match="no list of sessions"):
        shapes.read_rows(value, "m")


def event(seq: Any, kind: Any = "turn/start") -> dict[str, Any]:
    return {"type": kind, "seq": seq, "time": 0, "data": {}}


PACKED = {
    "type": "text-chunks",
    "seq0": 3,
    "time0": 0,
    "data": {"turn": 1, "step": 1, "index": 0, "dt": [0, 0], "texts": ["a", "b", "c"]},
}


def test_a_page_without_gaps() -> None:
    page = shapes.read_page([event(1), event(2), PACKED, event(6)], True, "m")
    assert [shapes.first_seq(record) for record in page.records] == [1, 2, 3, 6]
    assert page.more
    assert shapes.read_page([], False, "m").records == ()


WRONG_PAGES: list[tuple[Any, Any]] = [
    (None, False),
    ({}, False),
    ([], None),
    ([], 0),
    ([None], False),
    ([event(1), event(3)], False),
    ([event(2), event(1)], False),
    ([event(1), event(1)], False),
    ([event(-1)], False),
    ([event(1.5)], False),
    ([event(True)], False),
    ([event("1")], False),
    ([event(1, None)], False),
    ([PACKED, event(4)], False),
    ([{**PACKED, "data": {}}], False),
]


@pytest.mark.parametrize(("records", "more"), WRONG_PAGES, ids=range(len(WRONG_PAGES)))
def test_wrong_pages(records: Any, more: Any) -> None:
    with pytest.raises(GarbageError):
        shapes.read_page(records, more, "m")


def test_candidates() -> None:
    rows = [
        {"sessionId": "a", "label": "A", "displayTitle": "Shown", "cwd": "/w", "createdAt": 3},
        {"sessionId": "b", "label": "B"},
        {"sessionId": "c"},
        {"label": "D"},
        7,
    ]
    assert shapes.read_candidates(rows, "m") == (
        HostCandidate("a", "Shown", "/w", 3),
        HostCandidate("b", "B"),
    )


def test_files_stay_below_the_folder() -> None:
    rows = [
        {"path": "src", "kind": "directory"},
        {"path": "lib/", "kind": "directory"},
        {"path": "a b.md", "kind": "file"},
        {"path": "../x", "kind": "file"},
        {"path": "a/../../x", "kind": "file"},
        {"path": "/etc/passwd", "kind": "file"},
        {"path": ""},
        {"path": 3},
    ]
    assert shapes.read_files(rows, "m") == (
        FoundFile("src", True),
        FoundFile("lib", True),
        FoundFile("a b.md", False),
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "items",
                        "sessionId",
                        "updatedAt",
                        "projections",
                        "values",
                        "inbox",
                        "subagent",
                    ),
                    *("type", "seq", "path", "label", "asOfSeq", "contextPressure", "title"),
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)

READERS = [
    shapes.read_rows,
    shapes.read_created,
    shapes.read_title,
    shapes.read_candidates,
    shapes.read_files,
    shapes.read_last_seq,
    lambda value, doing: shapes.read_page(value, False, doing),
]


@given(json_values, st.sampled_from(READERS))
def test_anything_is_read_or_refused(value: Any, read: Any) -> None:
    with contextlib.suppress(GarbageError):
        assert isinstance(read(value, "m"), str | tuple | int | HistoryPage | None)
