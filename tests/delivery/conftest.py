"""Real hosts for experiments, one for each test, and a state folder of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.hosts import Host, running_host
from tests.support.hosts_releases import NO_TITLES, Release


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of whoever runs dsh-lsp."""
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture
def start_host(tmp_path: Path) -> Iterator[Callable[[Release], Host]]:
    """Starts hosts that belong to this test alone."""
    with ExitStack() as stack:

        def start(release: Release) -> Host:
            return stack.enter_context(running_host(release, tmp_path / "host", NO_TITLES))

        yield start
