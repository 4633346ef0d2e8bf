"""The arrows of docs/architecture.md: which part may import which, and what the core may not do."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "dsh_lsp"

ALLOWED = {
    "core": {"dsh_lsp.core", "orjson", "yaml"},
    "sessions": {
        *("dsh_lsp.core", "dsh_lsp.sessions"),
        *("anyio", "sniffio", "watchfiles", "zstandard"),
    },
    "harness": {
        *("dsh_lsp", "dsh_lsp.core", "dsh_lsp.sessions", "dsh_lsp.harness"),
        *("anyio", "httpx", "pathspec", "zstandard"),
    },
    "server": {
        *("dsh_lsp", "dsh_lsp.core", "dsh_lsp.server", "dsh_lsp.settings", "dsh_lsp.pages"),
        "dsh_lsp.late",
        *("dsh_lsp.sessions.query", "dsh_lsp.sessions.references", "dsh_lsp.harness.port"),
        *("anyio", "pygls", "lsprotocol", "attrs", "cattrs"),
    },
    "settings.py": {"dsh_lsp.core", "dsh_lsp.harness.port", "dsh_lsp.setting_kinds"},
    "setting_kinds.py": {"dsh_lsp.core"},
}
"""For each part, what it may import beside the standard library: a module or anything below it."""

FORBIDDEN_IN_CORE = {
    *("asyncio", "io", "logging", "os", "pathlib", "random", "shutil", "socket", "subprocess"),
    *("sys", "tempfile", "threading", "time", "urllib", "uuid"),
}
"""Parts of the standard library that do I/O, keep time or hold state."""

FORBIDDEN_CALLS_IN_CORE = {"open", "print", "input", "breakpoint"}


def modules(part: str) -> list[Path]:
    place = PACKAGE / part
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            found |= imported_names(node.module, node.names)
    return found


def imported_names(module: str, names: list[ast.alias]) -> set[str]:
    """`from package import module` names a module of ours; other names belong to the module."""
    below = PACKAGE.parent.joinpath(*module.split("."))
    return {
        f"{module}.{alias.name}" if is_module(below / alias.name) else module for alias in names
    }


def is_module(path: Path) -> bool:
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def is_allowed(name: str, allowed: set[str]) -> bool:
    if name == "dsh_lsp":
        return name in allowed
    return any(name == root or name.startswith(f"{root}.") for root in allowed - {"dsh_lsp"})


@pytest.mark.parametrize("part", ALLOWED)
def test_each_part_imports_only_what_lies_below_it(part: str) -> None:
    paths = modules(part)
    assert paths
    wrong = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in paths
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not is_allowed(name, ALLOWED[part])
    }
    assert not wrong


@pytest.mark.parametrize("path", modules("core"), ids=lambda path: path.name)
def test_the_core_does_nothing_but_compute(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports(path)} & FORBIDDEN_IN_CORE
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        assert not isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.Global), path
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in FORBIDDEN_CALLS_IN_CORE, path


def test_only_the_server_knows_lsp() -> None:
    outside = [path for path in modules(".") if "server" not in path.relative_to(PACKAGE).parts]
    assert len(outside) > 20
    knowing = {
        path.name
        for path in outside
        if any(name.split(".")[0] in {"pygls", "lsprotocol"} for name in imports(path))
    }
    assert not knowing


def test_a_forbidden_import_is_noticed() -> None:
    assert not is_allowed("dsh_lsp.sessions.store", ALLOWED["server"])
    assert not is_allowed("dsh_lsp.harness.embedded", ALLOWED["server"])
    assert not is_allowed("dsh_lsp.sessions", ALLOWED["core"])
    assert is_allowed("dsh_lsp.harness.port", ALLOWED["server"])
