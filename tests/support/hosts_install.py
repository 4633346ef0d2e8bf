"""Installs the real hosts below `.hosts/`, apart from everything else; once for each lock file."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.hosts_releases import HOSTS, Registry, Release
from tests.support.node_project import NPM_CLI, run

WHEEL = "deepseek-harness-runtime-bin"
PNPM = "pnpm@10.34.9"
"""npm itself needs many minutes to resolve the packages of the older host."""

STAMP = ".installed-from"
PROJECTS = Path(__file__).resolve().parents[1] / "hosts"
"""Holds a folder with `package.json` and `pnpm-lock.yaml` for each release on npm."""


def installed(release: Release) -> bool:
    """Whether the release is ready to start."""
    return _text(release.folder / STAMP) == _fingerprint(release)


def install(release: Release) -> None:
    """Make the release ready to start; returns at once when it is. One process at a time."""
    if installed(release):
        return
    with _alone():
        if installed(release):
            return
        shutil.rmtree(release.folder, ignore_errors=True)
        release.folder.mkdir(parents=True)
        match release.registry:
            case Registry.PYPI:
                _from_pypi(release)
            case Registry.NPM:
                _from_npm(release)
        (release.folder / STAMP).write_text(_fingerprint(release))


def _fingerprint(release: Release) -> str:
    if release.registry is Registry.PYPI:
        return f"{WHEEL}=={release.version}"
    lock = (PROJECTS / release.version / "pnpm-lock.yaml").read_bytes()
    return hashlib.sha256(PNPM.encode() + lock).hexdigest()


def _from_pypi(release: Release) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    options = ["--no-deps", "--no-compile", "--only-binary", ":all:", "--target"]
    wheel = f"{WHEEL}=={release.version}"
    subprocess.run([*pip, *options, str(release.folder), wheel], check=True)


def _from_npm(release: Release) -> None:
    for name in ("package.json", "pnpm-lock.yaml"):
        shutil.copyfile(PROJECTS / release.version / name, release.folder / name)
    options = ["--ignore-scripts", "--frozen-lockfile", "--reporter=silent"]
    run(release.folder, str(_pnpm()), "install", *options)


def _pnpm() -> Path:
    folder = HOSTS / PNPM
    program = folder / "node_modules" / "pnpm" / "bin" / "pnpm.cjs"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save"]
        run(folder, str(NPM_CLI), "install", "--prefix", str(folder), *quiet, PNPM)
    return program


def _text(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


@contextmanager
def _alone() -> Iterator[None]:
    HOSTS.mkdir(exist_ok=True)
    with (HOSTS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
