"""The settings that the VS Code extension declares, against those that the server reads."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.setting_kinds import LARGEST_NUMBER, OneOf, WholeNumber, YesNo
from dsh_lsp.settings import Settings, read_settings, setting_keys

MANIFEST = json.loads(
    (Path(__file__).parents[2] / "editors" / "vscode" / "package.json").read_text()
)
DECLARED: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
READ = {f"dsh.{key}": (kind, default) for key, kind, default in setting_keys()}
OWN = {"dsh.server.command", "dsh.markdown.enabled", "dsh.trace.server"}
"""Read by the extension alone."""


def plain(value: Any) -> Any:
    """A default as JSON has it."""
    if isinstance(value, StrEnum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def nested(values: dict[str, Any]) -> dict[str, Any]:
    """`{"dsh.a.b": 1}` as `{"dsh": {"a": {"b": 1}}}`, the way VS Code hands settings over."""
    root: dict[str, Any] = {}
    for key, value in values.items():
        *groups, last = key.split(".")
        place = root
        for group in groups:
            place = place.setdefault(group, {})
        place[last] = value
    return root


def test_the_same_keys() -> None:
    assert set(DECLARED) == set(READ) | OWN


@pytest.mark.parametrize("key", READ)
def test_the_same_default(key: str) -> None:
    assert DECLARED[key]["default"] == plain(READ[key][1])


@pytest.mark.parametrize("key", [key for key in READ if isinstance(READ[key][0], OneOf)])
def test_the_same_words(key: str) -> None:
    kind = READ[key][0]
    assert isinstance(kind, OneOf)
    assert DECLARED[key]["enum"] == [word.value for word in kind.words]
    assert len(DECLARED[key]["enumDescriptions"]) == len(DECLARED[key]["enum"])


@pytest.mark.parametrize("key", [key for key in READ if isinstance(READ[key][0], WholeNumber)])
def test_the_same_range(key: str) -> None:
    kind = READ[key][0]
    assert isinstance(kind, WholeNumber)
    declared = DECLARED[key]
    assert declared["type"] == "integer"
    assert declared["minimum"] == kind.low
    assert declared.get("maximum", LARGEST_NUMBER) == kind.high


@pytest.mark.parametrize("key", [key for key in READ if isinstance(READ[key][0], YesNo)])
def test_switches_are_booleans(key: str) -> None:
    assert DECLARED[key]["type"] == "boolean"


def test_declared_defaults_are_read_without_a_fault() -> None:
    defaults = {key: DECLARED[key]["default"] for key in READ}
    assert read_settings(nested(defaults)) == (Settings(), ())


def test_every_setting_is_described() -> None:
    assert [
        key
        for key, declared in DECLARED.items()
        if not (declared.get("description") or declared.get("markdownDescription"))
    ] == []


def test_a_folder_cannot_say_what_runs_or_where_prompts_go() -> None:
    machine = {key for key, declared in DECLARED.items() if declared.get("scope") == "machine"}
    assert machine == {"dsh.server.command", "dsh.harness.url", "dsh.harness.command"}
    restricted = set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    assert restricted <= set(DECLARED)
    assert restricted >= machine | {
        "dsh.home",
        "dsh.harness.mode",
        "dsh.target.session",
        "dsh.embedded.root",
    }
