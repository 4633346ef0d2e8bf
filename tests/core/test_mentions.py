"""The mention grammar: against a slow model, round trips, and linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.javascript import join_surrogates
from dsh_lsp.core.mentions import format_mention, parse, readable, scan, scan_from
from dsh_lsp.core.uri import encode
from tests.support.javascript_text import CHARACTERS, javascript_strings
from tests.support.linear import is_linear
from tests.support.mention_model import Found, find_all

PIECES = [
    "@[",
    "@",
    "[",
    "]",
    "](",
    "(",
    ")",
    "\\",
    "\\]",
    "dsh-session:",
    "dsh-session",
    "a",
    "会",
]
PIECES += ["InMxIg", "_", ".", " ", "\n", "\r", "\u2028", "\ufeff", "\x85", "\x1c", "\u200b", "😀"]
PIECES += ["@[Plan](dsh-session:InMxIg)", "](dsh-session:", "dsh-session:ImEi", "dsh-session:MQ"]
TEXTS = st.lists(st.sampled_from(PIECES) | CHARACTERS, max_size=30).map("".join)


@given(TEXTS)
def test_the_scanner_finds_what_the_model_finds(text):
    mentions = scan(text)
    found = [
        Found(
            mention.span.start,
            mention.span.end,
            mention.label if mention.explicit or mention.session_id is not None else None,
            mention.session_id,
        )
        for mention in mentions
    ]
    assert found == find_all(text)
    for mention in mentions:
        assert mention.uri_span.of(text) == mention.uri
        assert (mention.fault is None) == (mention.session_id is not None)
        if mention.label_span is not None:
            assert mention.span.of(text) == f"@[{mention.label_span.of(text)}]({mention.uri})"
        else:
            assert mention.uri_span == mention.span


@given(TEXTS, st.integers(0, 20))
def test_a_scan_from_the_middle_is_a_scan_of_the_rest(text, start):
    rest = scan(text[start:])
    moved = scan_from(text, min(start, len(text))).mentions
    assert [mention.span.start - min(start, len(text)) for mention in moved] == [
        mention.span.start for mention in rest
    ]
    assert [mention.label for mention in moved] == [mention.label for mention in rest]


@given(javascript_strings(), javascript_strings(), TEXTS)
def test_any_mention_round_trips(session_id, label, after):
    mention = format_mention(session_id, label)
    first = scan(mention + after)[0]
    assert (first.session_id, first.label) == (session_id, label)
    assert first.span.of(mention + after) == mention
    assert parse(format_mention(session_id))[1][0].label == session_id


@given(TEXTS)
def test_readable_text_holds_labels(text):
    mentions = scan(text)
    expected, end = "", 0
    for mention in mentions:
        expected += text[end : mention.span.start] + "@" + mention.label
        end = mention.span.end
    assert readable(text, mentions) == join_surrogates(expected + text[end:])


def test_the_first_fault_in_text_order_is_raised():
    text = "@[a](dsh-session:ImEi) dsh-session:MQ @[b](dsh-session:x=)"
    with pytest.raises(InvalidReferenceError, match="not a string"):
        parse(text)


UNCLOSED = [
    # a text, and the part of each mention that was never closed
    ("@[Plan](dsh-session:InMxIg", ["@[Plan](dsh-session:InMxIg"]),
    ("@[Plan](dsh-session:InMxIg and more)", ["@[Plan](dsh-session:InMxIg"]),
    ("@[Plan](dsh-session:", ["@[Plan](dsh-session:"]),
    ("@[a](dsh-session:b @[c](dsh-session:d", ["@[a](dsh-session:b", "@[c](dsh-session:d"]),
    ("@[a @[b](dsh-session:c ", ["@[a @[b](dsh-session:c"]),
    ("@[a](dsh-session:@[b](dsh-session:c", ["@[a](dsh-session:@[b](dsh-session:c"]),
    ("@[Plan](dsh-session:InMxIg)", []),
    ("@[Plan] (dsh-session:InMxIg", []),
    ("@[Plan](http://x", []),
    ("@[Plan", []),
    ("dsh-session:InMxIg", []),
]


@pytest.mark.parametrize(("text", "parts"), UNCLOSED)
def test_unclosed_mentions(text, parts):
    assert [unclosed.span.of(text) for unclosed in scan_from(text, 0).unclosed] == parts


URI = encode("session-2026-01-02-abcdef")
HOSTILE = {
    "ordinary": f"Please read @[Title of it]({URI}) and {URI}, then go on.\n",
    "prose": "The quick brown @fox dashed off, and no session is mentioned here at all.\n",
    "links": "@[a](dsh-session:",
    "links on lines": "@[a](dsh-session:\n",
    "nested": "@[a @[b](dsh-session:",
    "openings": "@[",
    "empty labels": "@[]",
    "escaped openings": "@[\\",
    "escaped line ends": "@[a\\\n",
    "backslashes": "\\",
    "schemes": "dsh-session:",
    "malformed": "@[a](dsh-session:!!!)",
    "bare and malformed": "dsh-session:MQ ",
    "closings": "](dsh-session:",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_scanning_takes_linear_time(piece):
    text = piece * (131_072 // len(piece))
    assert is_linear(scan, text[: len(text) // 4], text)


@pytest.mark.parametrize("ending", ["", ")", "](dsh-session:ImEi)"])
def test_a_long_run_of_openings_with_one_ending_takes_linear_time(ending):
    def work(count: int) -> None:
        scan("@[" * count + ending)

    assert is_linear(work, 16_384, 65_536)


def test_the_measure_of_growth_sees_quadratic_work():
    assert not is_linear(lambda count: sum(range(count * count)), 100, 400)
