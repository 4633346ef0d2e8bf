"""Real hosts of the harness on loopback, each with a home, a folder and a model of its own.

Everything here blocks; an async test hands `restart` and its like to `anyio.to_thread.run_sync`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from tests.support.hosts_install import install
from tests.support.hosts_releases import Overlay, Release, Wire
from tests.support.mock_model import MockModel

BOOT_LIMIT = 90.0
"""Seconds until the link must have been printed; a boot takes one to eight, by the load."""

STOP_LIMIT = 30.0
"""Seconds until a host must have ended after SIGTERM."""

_LINK = re.compile(r"^dsh web: (http://127\.0\.0\.1:(\d+))(?:/\?token=(\S+))?$", re.MULTILINE)


class Host:
    """A real host. `url` has no path; `token` is None on wire A; both are empty while it is down.

    A restart keeps the home and the port; the token changes.
    """

    def __init__(
        self, release: Release, root: Path, model: MockModel, overlay: Overlay = ()
    ) -> None:
        self.release = release
        self.model = model
        self.home = root / "home"
        self.cwd = root / "project"
        self.url = ""
        self.token: str | None = None
        self.port = 0
        self.overlay = overlay
        self._root = root
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def version(self) -> str:
        """The release, as its package names it."""
        return self.release.version

    @property
    def wire(self) -> Wire:
        """The generation of its interface: "A" or "B"."""
        return self.release.wire

    @property
    def link(self) -> str:
        """The link that the host prints for its user."""
        return f"{self.url}/?token={self.token}" if self.token else self.url

    @property
    def pid(self) -> int:
        """The process of the running host."""
        assert self._process is not None, "the host is down"
        return self._process.pid

    @property
    def output(self) -> str:
        """Everything that this run of the host has printed."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def start(self) -> None:
        """Return when the host has printed its link."""
        assert self._process is None, "the host is up"
        for folder in (self.home, self.cwd, self._root / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command(),
                cwd=self.cwd,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._read_link()
        except BaseException:
            self.crash()
            raise

    def stop(self) -> None:
        """End the host the graceful way."""
        self._end(signal.SIGTERM)

    def crash(self) -> None:
        """Kill the host at once."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Stop the host if it runs, and start it again on the same home and port."""
        if self._process is not None:
            self.stop()
        self.start()

    def __enter__(self) -> Host:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.crash()
        # Native parts that 0.1.2 unpacks there, 23 MB each time.
        shutil.rmtree(self._root / ".cache", ignore_errors=True)

    @property
    def _log(self) -> Path:
        return self._root / "output.txt"

    def _command(self) -> list[str]:
        patches = self._root / "patches.yml"
        patches.write_text(json.dumps([*self.release.overlay, *self.overlay]))
        options = ["--patch", str(patches), "--no-open", "--port", str(self.port)]
        return [*self.release.command(), "web", *options]

    def _environment(self) -> dict[str, str]:
        """Nothing of this machine's user: a home, a folder for temporary files, and the model."""
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self._root),
            "TMPDIR": str(self._root / "tmp"),
            "DSH_HOME": str(self.home),
            "DEEPSEEK_API_KEY": "any",
            "DEEPSEEK_BASE_URL": f"{self.model.url}{self.release.model_path}",
        }

    def _read_link(self) -> None:
        deadline = time.monotonic() + BOOT_LIMIT
        while (found := _LINK.search(self.output)) is None:
            assert self._process is not None
            assert self._process.poll() is None, f"dsh {self.version} ended:\n{self.output}"
            assert time.monotonic() < deadline, f"dsh {self.version} is not up:\n{self.output}"
            time.sleep(0.02)
        self.url, self.token, self.port = found[1], found[3], int(found[2])

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        self.url, self.token = "", None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(STOP_LIMIT)
        finally:
            # The tools that the host ran are in its group, and so is the host if it did not end.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def running_host(
    release: Release, root: Path, overlay: Overlay = (), *, sessions: Path | None = None
) -> Iterator[Host]:
    """A host of its own for a block, installed if need be, with a model that only it asks.

    Its store begins as a copy of the folder `sessions`, if given.
    """
    install(release)
    if sessions is not None:
        shutil.copytree(sessions, root / "home" / "sessions")
    with MockModel() as model, Host(release, root, model, overlay) as host:
        yield host
