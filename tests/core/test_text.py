"""Offsets, lines and columns, against a model that walks through the text."""

from __future__ import annotations

import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core import text as text_module
from dsh_lsp.core.text import LineIndex, Span, Unit
from tests.support import line_model
from tests.support.javascript_text import NASTY
from tests.support.linear import is_linear

PIECES = [*NASTY, "\r\n", "\v", "\f", "\x1c", "é", "plain", "𠮷" * 300, "é" * 600, "x" * 513]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
UNITS = st.sampled_from(Unit)
SHORT = st.lists(
    st.sampled_from(["a", "b", "é", "中", "😀", "\ud83d", "\n", "\r", "\r\n"]), max_size=14
).map("".join)


@given(TEXTS, UNITS, st.data())
def test_positions_are_those_of_the_model(text, unit, data):
    index = LineIndex(text)
    assert index.line_count == len(line_model.lines(text))
    offset = data.draw(st.integers(-1, len(text) + 2))
    place = index.position(offset, unit)
    assert place == line_model.position(text, offset, unit)
    assert line_model.offset(text, *place, unit) == index.offset(*place, unit)


@given(TEXTS, UNITS, st.data())
def test_the_place_of_a_span_is_the_positions_of_its_ends(text, unit, data):
    index = LineIndex(text)
    start, end = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
    expected = index.position(start, unit), index.position(end, unit)
    assert index.place(Span(start, end), unit) == expected


@given(TEXTS, UNITS, st.integers(0, 25), st.integers(0, 2500))
def test_offsets_are_those_of_the_model(text, unit, line, column):
    assert LineIndex(text).offset(line, column, unit) == line_model.offset(text, line, column, unit)


@given(TEXTS, UNITS)
def test_every_offset_comes_back(text, unit):
    index = LineIndex(text)
    starts_and_ends = {edge for line in line_model.lines(text) for edge in line}
    for offset in starts_and_ends:
        assert index.offset(*index.position(offset, unit), unit) == offset


@given(TEXTS)
def test_line_spans_are_those_of_the_model(text):
    index = LineIndex(text)
    spans = [index.line_span(line) for line in range(index.line_count)]
    assert spans == [Span(*line) for line in line_model.lines(text)]


@pytest.mark.parametrize(("unit", "column"), [(Unit.UTF8, 9), (Unit.UTF16, 4), (Unit.UTF32, 3)])
def test_columns_count_in_their_unit(unit, column):
    index = LineIndex("x\r\né😀会!")
    assert index.position(6, unit) == (1, column)
    assert index.offset(1, column, unit) == 6


def test_an_offset_inside_a_line_end_is_the_end_of_its_line():
    assert LineIndex("x\r\ny").position(2, Unit.UTF16) == (0, 1)


def test_a_column_inside_a_code_point_is_its_start():
    index = LineIndex("a😀b")
    assert [index.offset(0, column, Unit.UTF16) for column in range(5)] == [0, 1, 1, 2, 3]
    assert [index.offset(0, column, Unit.UTF8) for column in range(7)] == [0, 1, 1, 1, 1, 2, 3]


def test_positions_outside_are_brought_inside():
    index = LineIndex("ab\ncd")
    assert index.offset(0, 99, Unit.UTF16) == 2
    assert index.offset(9, 0, Unit.UTF16) == 5
    assert index.offset(-1, 3, Unit.UTF16) == 0
    assert index.offset(1, -1, Unit.UTF16) == 3


@pytest.mark.parametrize("unit", Unit)
def test_many_positions_in_one_long_line_take_linear_time(unit):
    def ask(text: str) -> None:
        index = LineIndex(text)
        for offset in range(0, len(text), 100):
            assert index.offset(*index.position(offset, unit), unit) == offset

    text = "😀会 and so on " * 8_000
    assert is_linear(ask, text[: len(text) // 4], text)


@pytest.fixture
def tiny_pieces(monkeypatch):
    monkeypatch.setattr(text_module, "_BLOCK", 3)


EDITS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), SHORT), max_size=5)


@given(SHORT, EDITS, UNITS)
@pytest.mark.usefixtures("tiny_pieces")
def test_an_edited_index_is_that_of_the_edited_text(before, edits, unit):
    index = LineIndex(before)
    for *ends, new in edits:
        start, end = sorted(min(each, len(before)) for each in ends)
        before = before[:start] + new + before[end:]
        index = index.replaced(Span(start, end), new)
    assert index.text == before
    spans = [index.line_span(line) for line in range(index.line_count)]
    assert spans == [Span(*line) for line in line_model.lines(before)]
    for offset in range(-1, len(before) + 2):
        place = index.position(offset, unit)
        assert place == line_model.position(before, offset, unit)
        assert index.offset(*place, unit) == line_model.offset(before, *place, unit)
    for column in range(60):
        assert index.offset(0, column, unit) == line_model.offset(before, 0, column, unit)


def test_typing_into_a_long_text_copies_little_of_it():
    def typed(count):
        index = LineIndex("a line of text\n" * count)
        return lambda: index.replaced(Span(count, count), "x").position(count, Unit.UTF16)

    small, large = (min(timeit.repeat(typed(each), number=5, repeat=9)) for each in (2_000, 64_000))
    assert large < small * 16  # 32 times the text; what grows is the list of pieces
