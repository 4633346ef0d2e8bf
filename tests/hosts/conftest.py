"""Real hosts: one of each release for the whole run, and others for tests that end them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.hosts import Host, running_host
from tests.support.hosts_releases import EVERY_RUN, MIDDLE, NEWER, OLDER, Overlay, Release
from tests.support.hosts_wire import HostCaller

StartHost = Callable[..., Host]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def shared_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Release], Host]]:
    """Gives the host of a release that all tests of this process share; it is never ended."""
    running: dict[str, Host] = {}
    with ExitStack() as stack:

        def shared(release: Release) -> Host:
            if release.version not in running:
                root = tmp_path_factory.mktemp(f"host-{release.version}-", numbered=True)
                running[release.version] = stack.enter_context(running_host(release, root))
            return running[release.version]

        yield shared


EACH_RELEASE = [
    *(pytest.param(release, id=release.version) for release in EVERY_RUN),
    pytest.param(MIDDLE, id=MIDDLE.version, marks=pytest.mark.matrix),
]
"""Parameters of tests that every host shall pass."""


@pytest.fixture(params=EACH_RELEASE)
def host(request: pytest.FixtureRequest, shared_hosts: Callable[[Release], Host]) -> Host:
    """Each host in turn, shared with other tests."""
    return shared_hosts(request.param)


@pytest.fixture(params=EACH_RELEASE)
def release(request: pytest.FixtureRequest) -> Release:
    """Each release in turn, for tests that start hosts of their own."""
    assert isinstance(request.param, Release)
    return request.param


@pytest.fixture
def older(shared_hosts: Callable[[Release], Host]) -> Host:
    """The host of wire A, shared with other tests."""
    return shared_hosts(OLDER)


@pytest.fixture
def newer(shared_hosts: Callable[[Release], Host]) -> Host:
    """The host of wire B, shared with other tests."""
    return shared_hosts(NEWER)


@pytest.fixture
def caller(host: Host) -> HostCaller:
    """Raw calls of the shared host."""
    return HostCaller(host)


@pytest.fixture
def start_host(tmp_path: Path) -> Iterator[StartHost]:
    """Starts hosts that belong to this test alone, as `running_host` does."""
    with ExitStack() as stack:
        count = 0

        def start(release: Release, overlay: Overlay = (), *, sessions: Path | None = None) -> Host:
            nonlocal count
            count += 1
            root = tmp_path / f"host-{count}"
            return stack.enter_context(running_host(release, root, overlay, sessions=sessions))

        yield start
