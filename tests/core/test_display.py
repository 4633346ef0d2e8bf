"""Untrusted text on display."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from dsh_lsp.core.display import age, byte_size, fenced, one_line, visible
from tests.support.javascript_text import javascript_strings

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 会话 😀 é", "plain 会话 😀 é"),
        ("a\nb\r\nc\rd", "a b c d"),
        ("\x1b[31m\x07\x7f\x9b", r"\u001b[31m\u0007\u007f\u009b"),
        ("a\tb\0", r"a\u0009b\u0000"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("a\u2028b\u2029c\u0085d", r"a\u2028b\u2029c\u0085d"),
        ("a\u200bb\ufeff\u2060", r"a\u200bb\ufeff\u2060"),
        ("\ud83d", r"\ud83d"),
        ("\U000e0041", r"\u{e0041}"),
    ],
)
def test_one_line(text, shown):
    assert one_line(text) == shown


@given(javascript_strings())
def test_nothing_invisible_is_left(text):
    for shown, allowed in ((one_line(text), ""), (visible(text), "\n\t")):
        left = {char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}
        assert left <= set(allowed)
        assert not set(BIDIRECTIONAL) & set(shown)
        shown.encode()


def test_lines_and_tabs_stay_in_several_lines():
    assert visible("a\tb\nc\r\nd\re\x1b") == "a\tb\nc\nd\\u000de\\u001b"


@pytest.mark.parametrize(
    ("text", "fence"),
    [("plain", "```"), ("a ``` b", "````"), ("`" * 7, "`" * 8), ("~~~\n```\n", "````")],
)
def test_a_fence_is_longer_than_any_inside(text, fence):
    assert fenced(text) == f"{fence}text\n{text}\n{fence}"


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1024, "1.0 KiB"),
        (42_189, "41.2 KiB"),
        (65_536, "64.0 KiB"),
        (1024 * 1024 - 1, "1.0 MiB"),
        (5 * 1024**4, "5.0 TiB"),
        (5000 * 1024**4, "5000.0 TiB"),
    ],
)
def test_sizes(count, shown):
    assert byte_size(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3 * 3600, "3 h ago"),
        (47 * 3600, "1 d ago"),
        (45 * 86_400, "1 mo ago"),
        (800 * 86_400, "2 y ago"),
    ],
)
def test_ages(seconds, shown):
    assert age(1_700_000_000_000, 1_700_000_000_000 + seconds * 1000) == shown
