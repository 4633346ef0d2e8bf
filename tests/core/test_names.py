"""Names of sessions: whatever a log calls its session, a mention and a message stay readable."""

from __future__ import annotations

import pytest

from dsh_lsp.core.names import mention_label, short_name


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("Title", "Title"),
        ("", ""),
        ("two\r\nlines", "two lines"),
        ("turned\u202e", "turned\\u202e"),
        ("x" * 1_000, "x" * 1_000),
        ("x" * 1_001, "x" * 999 + "…"),
    ],
)
def test_the_label_of_a_mention_is_the_title_on_one_line_and_never_endless(title, label):
    assert mention_label(title) == label


@pytest.mark.parametrize(
    ("text", "shown"),
    [("Title", "Title"), ("", "“”"), ("  ", "“  ”"), ("a\nb", "a b"), ("x" * 81, "x" * 79 + "…")],
)
def test_a_name_in_a_message_is_short_and_visible(text, shown):
    assert short_name(text) == shown
