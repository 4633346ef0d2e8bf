"""The line of a problem, and where its underline goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.cli.excerpt import BEFORE, SHOWN, excerpt
from dsh_lsp.cli.width import width
from dsh_lsp.core.text import LineIndex, Span

PLACES = [
    ("abc def", "def", "abc def", 4, 3),
    ("潮汐 def", "def", "潮汐 def", 5, 3),
    ("a\tdef", "def", "a    def", 5, 3),
    ("one\r\ntwo def\r\nthree", "def", "two def", 4, 3),
    ("one\rtwo", "two", "two", 0, 3),
    ("a\x1bdef", "def", "a\\u001bdef", 7, 3),
    ("x y\nz", "y\nz", "x y", 2, 1),
    ("", "", "", 0, 1),
    ("😀😀", "😀", "😀😀", 0, 2),
]


@pytest.mark.parametrize(("text", "marked", "line", "indent", "length"), PLACES)
def test_places(text, marked, line, indent, length):
    start = text.index(marked)
    shown = excerpt(text, Span(start, start + len(marked)), LineIndex(text))
    assert (shown.line, shown.indent, shown.width) == (line, indent, length)


def test_a_long_line_shows_the_problem_and_what_is_near():
    text = "a" * 1000 + "X" + "b" * 1000
    shown = excerpt(text, Span(1000, 1001), LineIndex(text))
    assert shown.line == "…" + "a" * BEFORE + "X" + "b" * (SHOWN - BEFORE - 1) + "…"
    assert shown.line[shown.indent] == "X"


@given(st.text(), st.data())
def test_any_span_of_any_text_is_underlined_inside_its_line(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    shown = excerpt(text, Span(start, end), LineIndex(text))
    assert shown.width >= 1
    assert shown.indent + shown.width <= max(1, width(shown.line) + 1)
    assert "\n" not in shown.line
