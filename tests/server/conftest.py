"""A desk for the language server's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path / "project", tmp_path / "home", tmp_path / "embedded")
    made.project.mkdir()
    (made.home / "sessions").mkdir(parents=True)
    return made
