"""Pages for contributors name modules of ours; each of them is there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from dsh_lsp.settings import setting_keys

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PARTS = "core|sessions|harness|server|cli|demo"
PATH = re.compile(rf"`((?:{PARTS})/[a-z_/]+\*?)(?:\.py)?`")
DOTTED = re.compile(rf"`((?:{PARTS})\.[a-z_.]+(?:\.[A-Z][A-Za-z]+)?)(?:\(\))?`")
SETTINGS = {key for key, _, _ in setting_keys()}


def named() -> list[tuple[str, str]]:
    found = ((page.name, page.read_text("utf-8")) for page in PAGES)
    return [
        (page, name)
        for page, text in found
        for pattern in (PATH, DOTTED)
        for name in dict.fromkeys(pattern.findall(text))
        if name not in SETTINGS
    ]


def is_there(name: str) -> bool:
    if "/" in name:
        folder = ROOT / "dsh_lsp"
        return bool(name.endswith("/") and (folder / name).is_dir()) or any(
            folder.glob(f"{name}.py")
        )
    module, _, attribute = f"dsh_lsp.{name}".rpartition(".")
    try:
        importlib.import_module(f"{module}.{attribute}")
    except ModuleNotFoundError:
        return hasattr(importlib.import_module(module), attribute)
    return True


@pytest.mark.parametrize(("page", "name"), named())
def test_a_module_that_a_page_names_is_there(page, name):
    assert is_there(name), f"{page} names {name}"


def test_pages_name_modules():
    assert len(named()) > 20
