"""Documents follow an editor's changes exactly, in every encoding and with every line end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.text import LineIndex, Unit
from dsh_lsp.server.documents import Change, Document, changed

PIECES = ["a", "é", "中", "😀", "\n", "\r", "\r\n", "\x00", "\u2028", "\f", "@", "\x85"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@pytest.mark.parametrize("unit", Unit)
@given(before=TEXTS, new=TEXTS, ends=st.tuples(st.integers(0, 30), st.integers(0, 30)))
def test_a_ranged_change_is_what_slicing_gives(
    unit: Unit, before: str, new: str, ends: tuple[int, int]
) -> None:
    start, end = sorted(min(each, len(before)) for each in ends)
    index = LineIndex(before)
    places = index.position(start, unit), index.position(end, unit)
    start, end = (index.offset(*place, unit) for place in places)  # never between CR and LF
    document = changed(Document("u", 1, before), 2, [Change(new, *places)], unit)
    assert document.text == before[:start] + new + before[end:]
    assert document.version == 2


CHANGES = st.lists(
    st.tuples(TEXTS, st.tuples(st.integers(0, 5), st.integers(0, 6)), st.integers(0, 60)),
    max_size=6,
)


@given(before=TEXTS, changes=CHANGES, unit=st.sampled_from(Unit))
def test_many_changes_are_one_after_the_other(
    before: str, changes: list[tuple[str, tuple[int, int], int]], unit: Unit
) -> None:
    given_changes, expected = [], before
    for new, start, length in changes:
        index = LineIndex(expected)
        first = index.offset(*start, unit)
        end = index.position(min(len(expected), first + length), unit)
        last = max(first, index.offset(*end, unit))
        given_changes.append(Change(new, start, end))
        expected = expected[:first] + new + expected[last:]
    assert changed(Document("u", 1, before), 2, given_changes, unit).text == expected


def test_each_change_counts_in_the_text_before_it() -> None:
    changes = [
        Change("😀\n", (0, 0), (0, 0)),
        Change("x", (1, 0), (1, 1)),
        Change("!", (0, 2), (0, 2)),
    ]
    assert changed(Document("u", 1, "abc"), 5, changes, Unit.UTF16).text == "😀!\nxbc"


def test_a_change_without_a_range_replaces_everything() -> None:
    changes = [Change("one\rtwo"), Change("2", (1, 0), (1, 3))]
    assert changed(Document("u", 1, "old"), 2, changes, Unit.UTF8).text == "one\r2"


def test_positions_beyond_the_text_are_its_end_and_swapped_ends_delete_nothing() -> None:
    document = Document("u", 1, "ab\ncd")
    beyond = [Change("!", (9, 9), (99, 0)), Change("?", (0, 99), (0, 99))]
    assert changed(document, 2, beyond, Unit.UTF16).text == "ab?\ncd!"
    assert changed(document, 2, [Change("-", (1, 1), (0, 0))], Unit.UTF16).text == "ab\nc-d"


@pytest.mark.parametrize(
    ("text", "end"), [("a\r\nb\n", "\r\n"), ("a\nb\r\n", "\r\n"), ("a\rb", "\r"), ("ab", "\n")]
)
def test_the_line_end_for_new_lines(text: str, end: str) -> None:
    assert Document("u", 1, text).line_end == end


def test_an_earlier_reading_changes_nothing_of_what_is_read() -> None:
    uri = "dsh-session:ImEi"
    document = Document("u", 1, f"@[a]({uri}) {uri} {uri}.")
    assert len(document.prompt.mentions) == 3
    after = changed(document, 2, [Change("new ", (0, 0), (0, 0))], Unit.UTF16)
    assert after.earlier is document.prompt
    assert after.prompt == Document("u", 2, after.text).prompt
