"""JavaScript strings, numbers and JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core import javascript
from tests.support.javascript_text import javascript_strings

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | javascript_strings(8),
    lambda inner: st.lists(inner) | st.dictionaries(javascript_strings(4), inner),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_what_is_written_is_read_again(value):
    text = javascript.stringify(value)
    assert javascript.equal(javascript.parse(text), value)
    assert javascript.equal(javascript.parse(text.encode()), value)
    assert json.loads(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('"\\\b\t\n\f\r\0\x1f', r'"\"\\\b\t\n\f\r\u0000\u001f"'),
        ("/\x7f\u2028\ufeff😀", '"/\x7f\u2028\ufeff😀"'),
        ("\ud83d", r'"\ud83d"'),
        ("\ud83d\ude00", '"😀"'),
        ("\ude00\ud83d", r'"\ude00\ud83d"'),
        ({"b": 1, "a": [True, None], "": {}}, '{"b":1,"a":[true,null],"":{}}'),
        ([], "[]"),
        ({"\udc00": ()}, r'{"\udc00":[]}'),
        (1.0, "1"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (2**53 + 1, "9007199254740992"),
        (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (-1e-7, "-1e-7"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (float("inf"), "null"),
        (float("nan"), "null"),
    ],
)
def test_values_are_written_as_javascript_writes_them(value, text):
    assert javascript.stringify(value) == text


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(TypeError, match="set"):
        javascript.stringify({"a": {1}})


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (r'"\ud800"', "\ud800"),
        (rb'"\ud83d\ude00\ude00"', "😀\ude00"),
        ('"\ud800"', "\ud800"),
        (
            r'["\ud800",123456789012345678901234567890]',
            ["\ud800", 123456789012345678901234567890.0],
        ),
        ("1.0", 1.0),
    ],
)
def test_lone_surrogates_are_read(source, value):
    assert javascript.parse(source) == value


@pytest.mark.parametrize(
    "source",
    [
        "NaN",
        "[Infinity]",
        r'[NaN,"\ud800"]',
        r'[-Infinity,"\ud800"]',
        "",
        "{",
        r'"\ud800',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b"\xef\xbb\xbf1",
        '\ufeff"\ud800"',
        '"a\nb"',
        "[" * 5000,
        "[" * 100_000 + r'"\ud800"' + "]" * 100_000,
        "'a'",
    ],
)
def test_what_is_not_json_is_refused(source):
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the parser's
        javascript.parse(source)


@pytest.mark.parametrize(
    ("value", "integer"),
    [
        (1, 1),
        (1.0, 1),
        (-0.0, 0),
        (2e3, 2000),
        (2**53 - 1, 2**53 - 1),
        (2**53, None),
        (2**53 + 1, None),
        (1.5, None),
        (True, None),
        (None, None),
        ("1", None),
        (float("inf"), None),
        (float("nan"), None),
    ],
)
def test_safe_integers(value, integer):
    found = javascript.safe_integer(value)
    assert (found, type(found)) == (integer, type(integer))


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (True, 1, False),
        (False, 0, False),
        (1, 1.0, True),
        (2**53, 2**53 + 1, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([], {}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ("é", "e\u0301", False),
        (None, 0, False),
        ([{"a": [1]}], [{"a": [1.0]}], True),
    ],
)
def test_deep_equality(left, right, same):
    assert javascript.equal(left, right) is same
    assert javascript.equal(right, left) is same


@given(javascript_strings())
def test_utf8_length_is_that_of_the_text_with_place_holders(text):
    replaced = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    assert javascript.utf8_length(text) == len(replaced.encode())


def test_halves_that_meet_join():
    assert javascript.join_surrogates("a\ud83d\ude00\ud83d") == "a😀\ud83d"
    assert javascript.utf8_length("\ud83d\ude00") == 4
