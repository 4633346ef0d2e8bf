"""The VS Code extension: formatted, linted, strictly typed, bundled, and packaged into a VSIX."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from dsh_lsp.server.capabilities import COMMANDS
from tests.support import node_project

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text())


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    node_project.install(EXTENSION)


@pytest.mark.parametrize("name", ["format-check", "lint", "types"])
def test_script_passes(name: str) -> None:
    assert "error" not in node_project.script(EXTENSION, name).lower()


def test_package() -> None:
    """Packaging bundles first; the archive holds what is needed, and nothing else."""
    node_project.script(EXTENSION, "package")
    with zipfile.ZipFile(EXTENSION / "out" / "dsh-lsp.vsix") as archive:
        names = {name.removeprefix("extension/") for name in archive.namelist()}
        bundle = archive.read("extension/out/extension.js").decode()
    assert names == {
        "[Content_Types].xml",
        "extension.vsixmanifest",
        "package.json",
        "readme.md",
        "changelog.md",
        "LICENSE.txt",
        "images/icon.png",
        "language-configuration.json",
        "syntaxes/dsh-prompt.tmLanguage.json",
        "out/extension.js",
    }
    builtin = node_project.run(EXTENSION, "-p", "require('module').builtinModules.join()")
    required = set(re.findall(r'require\("(?:node:)?([^"]+)"\)', bundle))
    assert required - set(builtin.strip().split(",")) == {"vscode"}


def test_every_dependency_is_pinned() -> None:
    assert "dependencies" not in MANIFEST, "what runs is bundled"
    for name, version in MANIFEST["devDependencies"].items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name


def test_the_declared_vscode_is_the_one_that_types_are_checked_against() -> None:
    types = MANIFEST["devDependencies"]["@types/vscode"]
    assert MANIFEST["engines"]["vscode"] == f"^{types}"


def test_declared_commands_are_registered_and_clash_with_none_of_the_server() -> None:
    """The language client registers the server's commands under their own names."""
    declared = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    source = (EXTENSION / "src" / "extension.ts").read_text()
    assert set(re.findall(r"'(dsh\.prompt\.\w+)':", source)) == declared
    assert not declared & set(COMMANDS)


def test_commands_that_need_a_prompt_are_hidden_without_one() -> None:
    declared = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    conditional = {entry["command"] for entry in MANIFEST["contributes"]["menus"]["commandPalette"]}
    names = ("login", "startHarness", "outbox", "status", "restart")
    assert declared - conditional == {f"dsh.prompt.{name}" for name in names}


def test_enter_in_a_list_never_sends() -> None:
    for binding in MANIFEST["contributes"]["keybindings"]:
        assert binding["key"] != "enter"
        assert "!suggestWidgetVisible" in binding["when"]
