"""Command arguments of any shape are read, or refused with the member and what would be right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.uri import encode
from dsh_lsp.harness.port import Mode
from dsh_lsp.server.commands.arguments import Arguments, read_arguments
from dsh_lsp.server.failures import ArgumentError
from dsh_lsp.server.target import Choice

PLACE = {"start": {"line": 0, "character": 1}, "end": {"line": 2, "character": 3}}


def test_all_members() -> None:
    given_object = {
        "uri": "file:///a", "version": 3, "range": PLACE, "target": encode("x"), "mode": "steer",
        "query": "q", "limit": 5, "cwd": "/w",
    }  # fmt: skip
    assert read_arguments([given_object]) == Arguments(
        "file:///a", 3, ((0, 1), (2, 3)), Choice("x"), Mode.STEER, "q", 5, "/w"
    )


@pytest.mark.parametrize("nothing", [None, [], [{}], [{"uri": None, "range": None}]])
def test_nothing_asked(nothing: Any) -> None:
    assert read_arguments(nothing) == Arguments()


@pytest.mark.parametrize(
    ("argument", "named"),
    [
        ([1], "one argument"),
        ([{}, {}], "one argument"),
        ([{"uri": 1}], "uri"),
        ([{"version": "1"}], "version"),
        ([{"version": True}], "version"),
        ([{"version": 1.5}], "version"),
        ([{"range": []}], "range.start"),
        ([{"range": {"start": {"line": 0, "character": 0}}}], "range.end"),
        ([{"range": {**PLACE, "end": {"line": -1, "character": 0}}}], "range.end"),
        ([{"range": {**PLACE, "end": {"line": 0, "character": 2**40}}}], "range.end.character"),
        ([{"target": ""}], "target"),
        ([{"target": "dsh-session:abc="}], "target"),
        ([{"mode": "fast"}], "`queue` or `steer`"),
        ([{"for": "lunch"}], "`mention` or `target`"),
        ([{"limit": 0}], "limit"),
        ([{"keep": "yes"}], "keep"),
        ([{"color": "red"}], "color"),
    ],
)
def test_what_is_wrong_is_named(argument: Any, named: str) -> None:
    with pytest.raises(ArgumentError, match=named):
        read_arguments(argument)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(1.5) | st.text("dsh:=", max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["start", "end", "line", "character"]), inner, max_size=2)
    ),
    max_leaves=4,
)
MEMBERS = st.sampled_from(["uri", "version", "range", "target", "mode", "query", "limit", "cwd"])


@given(st.lists(st.dictionaries(MEMBERS, JSON, max_size=2), max_size=2))
def test_any_json_is_read_or_refused(values: list[Any]) -> None:
    refused = ""
    read: Arguments | None = None
    try:
        read = read_arguments(values)
    except ArgumentError as fault:
        refused = str(fault)
    assert (read is None) == ("expects" in refused)
