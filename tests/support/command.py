"""Runs the installed `dsh-lsp` as a process with a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.no_host import NO_HOST

PROGRAM = str(Path(sys.executable).with_name("dsh-lsp"))

SECONDS = 60
"""No command may take longer."""


@dataclass(frozen=True)
class Result:
    """What a command did."""

    status: int
    out: str
    err: str


def clean_environment(home: Path) -> dict[str, str]:
    """An environment in which nothing of the person who runs the tests is left."""
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    return {
        **kept,
        **NO_HOST,
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
    }


def run_bytes(
    home: Path, *arguments: str, stdin: bytes = b"", cwd: Path | None = None, **environ: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command whose user has `home` as home folder."""
    return subprocess.run(
        [PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        env={**clean_environment(home), **environ},
        cwd=cwd or home,
        timeout=SECONDS,
        check=False,
    )


def run(
    home: Path, *arguments: str, stdin: str = "", cwd: Path | None = None, **environ: str
) -> Result:
    """The same for text. A traceback is never right."""
    done = run_bytes(home, *arguments, stdin=stdin.encode(), cwd=cwd, **environ)
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.out + result.err
    return result
