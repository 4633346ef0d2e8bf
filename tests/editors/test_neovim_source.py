"""The Lua of the Neovim plugin: formatted, and free of stray globals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import node_project

HERE = Path(__file__).parent
TOOLS = HERE / "lua_tools"
PLUGIN = HERE.parents[1] / "editors" / "neovim"


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    node_project.install(TOOLS)


def test_lua_is_formatted_and_uses_no_strange_global() -> None:
    said = node_project.run(TOOLS, "lua_tools.mjs", "check", str(PLUGIN))
    files = len(list(PLUGIN.rglob("*.lua")))
    assert said == f"{files} files, 0 faults\n"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("local x = {\n  1 }\n", "not formatted"),
        ("strange = 1\n", "unknown global strange"),
    ],
)
def test_the_check_sees_faults(tmp_path: Path, source: str, fault: str) -> None:
    (tmp_path / "a.lua").write_text(source)
    with pytest.raises(AssertionError, match=fault):
        node_project.run(TOOLS, "lua_tools.mjs", "check", str(tmp_path))
