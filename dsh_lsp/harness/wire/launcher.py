"""Starting a host, reading the link that it prints, and stopping what was started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from dsh_lsp.core.display import one_line
from dsh_lsp.harness.port import HarnessError
from dsh_lsp.harness.wire.started import StartedHost, StartedHosts

BOOT_SECONDS = 90.0
STOP_SECONDS = 10.0

_LINK = re.compile(r"^dsh web: (http://\S+)$", re.MULTILINE)
_TOKEN = re.compile(r"token=[^\s&]+")
_MAX_OUTPUT = 256 << 10
_MAX_REASON = 500
_PAUSE = 0.05


class Launcher:
    """Starts at most one host, and stops only that one.

    `folder` is for its output while it starts, readable by its owner alone: it holds the link.
    """

    def __init__(self, started: StartedHosts, folder: Path) -> None:
        self._started = started
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._host: StartedHost | None = None

    @property
    def url(self) -> str | None:
        """The address of the host that was started here; None when it does not run."""
        runs = self._process is not None and self._process.returncode is None
        return self._host.url if runs and self._host else None

    async def start(
        self, command: str, *, home: str | None, cwd: str | None, environ: Mapping[str, str]
    ) -> str:
        """Start `dsh web` on a port that is free, and return the link that it prints.

        `home` replaces the host's own choice of a home. Raises `HarnessError`.
        """
        if self.url is not None:
            raise HarnessError(f"dsh-lsp has started a harness already, at {self.url}")
        program = shutil.which(command)
        if program is None:
            raise HarnessError(
                f"there is no program `{one_line(command)}`: install the harness, or set "
                "dsh.harness.command to its path"
            )
        environment = {**environ, **({"DSH_HOME": home} if home else {})}
        try:
            return await self._boot(program, cwd, environment)
        except OSError as error:
            raise HarnessError(f"the harness cannot be started: {error.strerror}") from error

    async def stop(self) -> None:
        """End the host that was started here, gently and then by force."""
        process, self._process = self._process, None
        host, self._host = self._host, None
        if process is not None and process.returncode is None:
            await _end(process)
        if host is not None:
            self._started.remove(host)

    async def _boot(self, program: str, cwd: str | None, environ: Mapping[str, str]) -> str:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A file instead of a pipe: a host whose reader is gone would die at its next word.
        handle, name = tempfile.mkstemp(prefix="output-", dir=self._folder)
        output = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                self._process = await asyncio.create_subprocess_exec(
                    program,
                    *("web", "--no-open", "--port", "0"),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=file,
                    stderr=file,
                    cwd=cwd,
                    env=dict(environ),
                    start_new_session=True,
                )
            try:
                link = await self._link(self._process, output)
                self._host = self._started.add(_TOKEN.sub("", link).rstrip("/?"), self._process.pid)
            except BaseException:
                await asyncio.shield(self.stop())
                raise
        finally:
            _remove(output)
        return link

    async def _link(self, process: asyncio.subprocess.Process, output: Path) -> str:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + BOOT_SECONDS
        while True:
            ended = process.returncode is not None
            said = _read(output)
            found = _LINK.search(said)
            if found is not None:
                return found[1]
            if ended:
                raise HarnessError(f"the harness ended while it started: {_last_words(said)}")
            if loop.time() > deadline:
                raise HarnessError(
                    f"the harness has not come up within {BOOT_SECONDS:g} seconds: "
                    f"{_last_words(said)}"
                )
            await asyncio.sleep(_PAUSE)


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


async def _end(process: asyncio.subprocess.Process) -> None:
    for force in (signal.SIGTERM, _KILL):
        _signal(process, force)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
            break


def _signal(process: asyncio.subprocess.Process, how: signal.Signals) -> None:
    """To the host and whatever it started, which share a group of their own."""
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, how)


def _remove(output: Path) -> None:
    """The host goes on writing to it; from now on nobody finds it by a name."""
    with contextlib.suppress(OSError):
        output.unlink()


def _read(output: Path) -> str:
    with output.open("rb") as file:
        return file.read(_MAX_OUTPUT).decode("utf-8", "replace")


def _last_words(said: str) -> str:
    words = _TOKEN.sub("token=…", said.strip())[-_MAX_REASON:]
    return one_line(words) or "it said nothing"
