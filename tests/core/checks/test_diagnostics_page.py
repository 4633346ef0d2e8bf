"""Every code that the core gives has its section in docs/diagnostics.md, where editors link to."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from dsh_lsp.core.failures import Code

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/diagnostics.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)$", PAGE, re.MULTILINE)


def codes_of(path: Path) -> set[str]:
    """The first arguments of all `Problem(…)` in a file, where they are written out."""
    calls = (
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Problem" and node.args
    )
    first = [call.args[0] for call in calls]
    written = {node.value for node in first if isinstance(node, ast.Constant)}
    coded = {ast.unparse(node).removeprefix("Code.") for node in first} & set(Code.__members__)
    return {str(each) for each in written} | {str(Code[each]) for each in coded}


def test_every_code_has_its_section():
    codes = set().union(*(codes_of(path) for path in (ROOT / "dsh_lsp/core").rglob("*.py")))
    assert {"stale-label", "SESSION_REFERENCE_TOO_MANY"} <= codes
    assert codes <= set(SECTIONS)


def test_the_table_lists_every_section_once_and_in_order():
    listed = re.findall(r"^\| \[([^]]+)\]\(#([^)]+)\)", PAGE, re.MULTILINE)
    assert [code for code, _ in listed] == SECTIONS
    assert [anchor for _, anchor in listed] == [code.lower() for code in SECTIONS]


def test_every_section_says_how_to_fix():
    parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert [part.split("\n")[0] for part in parts if "**Fix:**" not in part] == []
