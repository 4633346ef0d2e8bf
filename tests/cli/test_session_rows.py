"""Rows of sessions on terminals of any width."""

from __future__ import annotations

import pytest

from dsh_lsp.cli.report_human import Style
from dsh_lsp.cli.session_rows import session_rows
from dsh_lsp.cli.width import width
from dsh_lsp.core.candidates import Candidate

PLAIN = Style(colours=False)

FOUND = [
    Candidate("session-1", 0, "/ebb", "潮汐"),
    Candidate("session-two", 0, None, "Month\nview\x1b"),
]

TABLE = """\
title              directory  age     session
潮汐               /ebb       1 h ago  session-1
Month view\\u001b   -          1 h ago  session-two
"""

LIST = """\
潮汐
  session-1
  /ebb, 1 h ago
Month view\\u001b
  session-two
  -, 1 h ago
"""


def test_a_table_where_there_is_room():
    table = session_rows(FOUND, 3_600_000, None, PLAIN)
    assert [line.split() for line in table.splitlines()] == [
        line.split() for line in TABLE.splitlines()
    ]
    starts = {width(line.partition("1 h ago")[0]) for line in table.splitlines()[1:]}
    assert len(starts) == 1
    widest = max(map(width, table.splitlines()))
    assert session_rows(FOUND, 3_600_000, widest, PLAIN) == table
    assert session_rows(FOUND, 3_600_000, widest - 1, PLAIN) == LIST


def test_colours_are_only_styles():
    coloured = session_rows(FOUND, 0, 20, Style(colours=True))
    assert coloured.count("\x1b[1m") == 2
    assert "Month view\\u001b" in coloured


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("潮汐", 4), ("e\u0301", 1), ("😀", 2), ("", 0), ("ﾊ", 1)]
)
def test_width(text, columns):
    assert width(text) == columns
