"""A person with the demo's sample sessions in their home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from dsh_lsp.core.mentions import format_mention
from dsh_lsp.demo.samples import SAMPLES
from dsh_lsp.demo.store import write_store, write_workspace
from tests.support.command import Result, run
from tests.support.store_writer import tree

NOW = 1_790_000_000_000


@dataclass(frozen=True)
class Person:
    """Someone at a shell."""

    home: Path
    ids: Mapping[str, str]

    @property
    def workspace(self) -> Path:
        return self.home / "ebb"

    def mention(self, key: str, label: str) -> str:
        return format_mention(self.ids[key], label)

    def write(self, name: str, text: str) -> str:
        (self.workspace / name).write_bytes(text.encode())
        return name

    def run(self, *arguments: str, stdin: str = "", **environ: str) -> Result:
        return run(self.home, *arguments, stdin=stdin, cwd=self.workspace, **environ)


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    write_workspace(home / "ebb")
    ids = write_store(home / ".dsh" / "sessions", home, SAMPLES, now=NOW)
    return Person(home, ids)


@pytest.fixture
def person(sample_home):
    """The store is shared between tests, and each checks that it was left alone."""
    before = tree(sample_home.home / ".dsh")
    yield sample_home
    assert tree(sample_home.home / ".dsh") == before
