"""What every editor test starts from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty desk."""
    project = tmp_path / "project"
    project.mkdir()
    return Desk(project, tmp_path / "home", tmp_path / "embedded")
