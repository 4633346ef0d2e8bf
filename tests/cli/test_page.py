"""docs/command-line.md against the code."""

from __future__ import annotations

import re
from pathlib import Path

from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.parser import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")


def test_every_command_has_its_row():
    rows = re.findall(r"^\| `([a-z]+)[ `]", PAGE, re.MULTILINE)
    assert rows == list(COMMANDS)


def test_every_exit_status_is_told():
    (table,) = re.findall(r"## Exit status\n\n(.*?)\n\n", PAGE, re.DOTALL)
    told = {int(number) for row in table.split("\n") for number in re.findall(r"\d+", row[:12])}
    assert told == {int(status) for status in ExitStatus}
