"""Everything that one run of the demo works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_lsp.demo.editor import Editor
from dsh_lsp.demo.screen import Screen


class StepFailedError(Exception):
    """A step did not do what it shows; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The temporary folders: nothing outside `root` is written."""

    root: Path

    @property
    def home(self) -> Path:
        """Stands for the user's harness home."""
        return self.root / "home"

    @property
    def store(self) -> Path:
        """Stands for the user's session store."""
        return self.home / "sessions"

    @property
    def workspace(self) -> Path:
        """The sample team's project."""
        return self.root / "ebb"

    @property
    def embedded(self) -> Path:
        """Home of the embedded harness."""
        return self.root / "embedded"


@dataclass(frozen=True, slots=True)
class Stage:
    """The editor, the screen, the folders, and the sample sessions' ids by their keys."""

    editor: Editor
    screen: Screen
    folders: Folders
    ids: Mapping[str, str]


def expect(condition: object, expected: str) -> None:
    """Raises `StepFailedError` unless the condition holds."""
    if not condition:
        raise StepFailedError(f"expected {expected}")


def one(items: list[Any], expected: str) -> Any:
    """The first item. Raises `StepFailedError` when there is none."""
    expect(items, expected)
    return items[0]
