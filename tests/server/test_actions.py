"""Quick fixes, and writing a target into the front matter."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.problem import Edit, Problem, Rewrite, Severity
from dsh_lsp.core.prompt import parse_prompt
from dsh_lsp.core.text import Span
from dsh_lsp.core.uri import encode
from dsh_lsp.server.actions import fix_all, fixes_at, whole_mentions, write_target
from tests.support.linear import is_linear

ID = "session-1234"
MENTION = f"@[Title]({encode(ID)})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello", f"---\ndsh:\n  session: {ID}\n---\nhello"),
        (
            "---\nother: 1\n---\nhello",
            f"---\ndsh:\n  session: {ID}\n---\n---\nother: 1\n---\nhello",
        ),
        ("---\ndsh:\n  session: new\n---\nhello", f"---\ndsh:\n  session: {ID}\n---\nhello"),
        (
            "---\ndsh:\n  mode: queue\n---\nhi",
            f"---\ndsh:\n  session: {ID}\n  mode: queue\n---\nhi",
        ),
        ("---\nx: 1\ndsh: {session: new}\n---\nhi", f"---\nx: 1\ndsh: {{session: {ID}}}\n---\nhi"),
        ("---\ndsh: {mode: queue}\n---\nhi", None),
        ("---\ndsh:\n  words\n---\nhi", None),
        ("---\ndsh:\n  session: |\n    new\n---\nhi", None),
    ],
)
def test_the_target_goes_into_the_front_matter(text: str, expected: str | None) -> None:
    edit = write_target(parse_prompt(text), ID, "\n")
    if expected is None:
        assert edit is None
        return
    assert edit is not None
    after = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    assert after == expected
    front_matter = parse_prompt(after).front_matter
    assert front_matter is not None
    assert front_matter.session == ID


def test_an_id_that_yaml_could_misread_is_written_as_its_uri() -> None:
    edit = write_target(parse_prompt(""), "a: [b\n", "\r\n")
    assert edit is not None
    assert edit.new_text == f"---\r\ndsh:\r\n  session: {encode('a: [b' + chr(10))}\r\n---\r\n"
    front_matter = parse_prompt(edit.new_text).front_matter
    assert front_matter is not None
    assert front_matter.session == "a: [b\n"


def many_stale_labels(count: int) -> list[Problem]:
    """Each with its own fix, and with the one that solves all of them."""
    edits = [Edit(Span(10 * at, 10 * at + 5), f"title {at}") for at in range(count)]
    every = Rewrite("all", tuple(edits))
    return [
        Problem("stale-label", Severity.HINT, edit.span, "old", (Rewrite("this", (edit,)), every))
        for edit in edits
    ]


def problem(code: str, start: int, end: int, *edits: Edit) -> Problem:
    fixes = (Rewrite("fix it", edits),) if edits else ()
    return Problem(code, Severity.HINT, Span(start, end), "wrong", fixes)


def test_the_fixes_of_what_a_selection_touches() -> None:
    edit = Edit(Span(2, 4), "x")
    problems = [problem("a", 2, 4, edit), problem("b", 6, 8, edit), problem("c", 2, 4)]
    touched = {start: len(fixes_at(problems, Span(start, start))) for start in range(10)}
    assert touched == {0: 0, 1: 0, 2: 1, 3: 1, 4: 1, 5: 0, 6: 1, 7: 1, 8: 1, 9: 0}
    assert len(fixes_at(problems, Span(0, 9))) == 2


@pytest.mark.parametrize(
    ("start", "end", "whole"),
    [
        (0, 0, (0, 0)),
        (2, 3, (2, len(MENTION) + 3)),
        (3, 3, (3, len(MENTION) + 3)),
        (len(MENTION) + 3, len(MENTION) + 4, (3, len(MENTION) + 4)),
        (len(MENTION) + 4, len(MENTION) + 4, (len(MENTION) + 4, len(MENTION) + 4)),
        (4, len(MENTION) + 8, (3, 2 * len(MENTION) + 8)),
    ],
)
def test_a_selection_grows_to_the_mentions_that_it_touches(
    start: int, end: int, whole: tuple[int, int]
) -> None:
    prompt = parse_prompt(f"ab {MENTION} and {MENTION} c")
    assert whole_mentions(prompt, Span(start, end)) == Span(*whole)


def test_a_fix_of_many_problems_is_offered_once_and_knows_them_all() -> None:
    problems = many_stale_labels(3)
    offered = fixes_at(problems, Span(0, 30))
    assert [each.fix.title for each in offered] == ["this", "all", "this", "this"]
    assert offered[1].problems == tuple(problems)
    assert offered[2].problems == (problems[1],)


def test_fixing_all_is_linear() -> None:
    assert is_linear(partial(fix_all, ""), many_stale_labels(1_000), many_stale_labels(4_000))


PLACES = st.tuples(st.integers(0, 12), st.integers(0, 3))


@given(st.lists(PLACES))
def test_of_any_edits_the_first_are_made_that_touch_none_before(places: list[tuple[int, int]]):
    def apart(one: Span, other: Span) -> bool:
        blanks = one.start == one.end or other.start == other.end
        first, second = sorted((one, other))
        return first.end < second.start or (first.end == second.start and not blanks)

    spans = [Span(start, start + length) for start, length in places]
    expected: list[Span] = []
    for span in spans:
        if all(apart(span, other) for other in expected):
            expected.append(span)
    problems = [problem("stale-label", 0, 1, Edit(span, "x")) for span in spans]
    assert [edit.span for edit in fix_all("", problems)] == sorted(expected)


def test_fixing_all_keeps_every_reference_and_no_two_edits_overlap() -> None:
    safe, same = Edit(Span(0, 3), "x"), Edit(Span(0, 3), "x")
    other, overlapping = Edit(Span(8, 9), "y"), Edit(Span(2, 5), "z")
    problems = [
        problem("stale-label", 8, 9, other),
        problem("stale-label", 0, 3, safe),
        problem("stale-label", 0, 3, same),
        problem("unclosed-mention", 2, 5, overlapping),
        problem("SESSION_REFERENCE_TOO_MANY", 20, 30, Edit(Span(20, 30), "")),
    ]
    assert fix_all("", problems) == (safe, other)
