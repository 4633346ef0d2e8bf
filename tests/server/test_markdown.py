"""Untrusted text never becomes live Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.server.markdown import MAX_BRIEF, brief, code, escaped

HOSTILE = [
    "[x](command:evil)",
    "![x](https://e.example/p.png)",
    "<script>alert(1)</script>",
    "<https://e.example>",
    "https://e.example/a",
    "//e.example/a",
    "file:////e.example/a",
    "WWW.e.example",
    "www.e.example",
    "someone@e.example",
    "**bold** __bold__ *i* _i_ ~~s~~",
    "`code` ``code``",
    "# heading",
    "- item",
    "+ item",
    "1. item",
    "23) item",
    "> quote",
    "| a | b |",
    "=====",
    "&lt; &#60;",
    "$x$",
    "    indented",
    "a\\",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_keeps_its_words_and_loses_its_markup(text: str) -> None:
    shown = escaped(text)
    assert re.sub(r"\\(.)", r"\1", shown).strip() == text.strip() or "\\" in text
    bare = re.sub(r"\\.", "x", shown)
    assert not re.search(r"[`*_\[\]<>|~&$#@]|//|(?i:www)\.|^\s*([-+=]|\d+[.)])", bare)
    assert not shown.startswith("    ")


@given(st.text(st.sampled_from("`a \n\r\x1b\u202e<")))
def test_a_code_span_cannot_be_closed_from_inside(text: str) -> None:
    shown = code(text)
    match = re.match(r"(`+)(.*?)(?<!`)\1(?!`)", shown)
    assert "\n" not in shown
    assert "\x1b" not in shown
    if text.strip():
        assert match is not None
        assert match.end() == len(shown)


@given(st.text(max_size=40), st.integers(0, 400))
def test_titles_are_shown_in_one_short_line(text: str, times: int) -> None:
    shown = brief(text * times)
    assert len(shown) <= MAX_BRIEF
    assert "\n" not in shown
