"""One session that is being worked on: what may happen to its log, one thing after another."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import anyio.to_thread

from dsh_lsp.core.log.events import SessionHeader
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.harness.embedded.draft import Draft
from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.embedded.sessionlog import Build, SessionLog
from dsh_lsp.harness.embedded.unbroken import Unbroken
from dsh_lsp.harness.port import HarnessError


class LogFailedError(HarnessError):
    """A log could not be written; what was to be recorded did not happen."""


class LiveSession:
    """Serialises what happens to one log: a thread writes it, then memory follows."""

    def __init__(self, log: SessionLog) -> None:
        self.work = anyio.Lock()
        """Held by a turn or a compaction: there is never more than one of either."""
        self.failed = False
        """Whether the log could not be written, so that it must be opened again."""
        self._log = log
        self._closed = False
        self._unbroken = Unbroken()
        self._writing = anyio.Lock()
        self._surface: Surface | None = None

    @property
    def header(self) -> SessionHeader:
        """The first line of the log."""
        return self._log.header

    @property
    def ledger(self) -> Ledger:
        """What the log says so far."""
        return self._log.ledger

    @property
    def path(self) -> str:
        """Where the log lies."""
        return str(self._log.writer.path)

    @property
    def revision(self) -> str:
        """Changes with every event."""
        return f"live-{self._log.next_seq}"

    @property
    def surface(self) -> Surface:
        """What a model sees now; the same value for as long as nothing is recorded."""
        if self._surface is None:
            self._surface = self._log.surface()
        return self._surface

    async def record(self, *drafts: Draft) -> int:
        """Append events in one batch; the sequence number of the first."""
        return await self.record_from(lambda _: drafts)

    async def record_from(self, build: Build, then: Callable[[], None] | None = None) -> int:
        """Append a batch that is built from the state in which it is written; then call `then`.

        Whatever `build` raises passes through, and nothing is written then. Once it has been asked
        for, all of it happens, even if the caller is cancelled. Raises `LogFailedError`.
        """
        return await self._unbroken.run(self._record(build, then))

    async def close(self) -> None:
        """Give the log up, once what is being written is on disk."""
        await self._unbroken.run(self._close())

    async def _record(self, build: Build, then: Callable[[], None] | None) -> int:
        async with self._writing:
            if self._closed:
                raise LogFailedError("the session was closed; open it again")
            first = self._log.next_seq
            lines = self._log.draft(build)
            try:
                await anyio.to_thread.run_sync(self._log.writer.append, lines)
            except OSError as error:
                self.failed = True
                raise LogFailedError(
                    f"{self.path} cannot be written: {error.strerror or error}; "
                    "free space or restore the right to write there, then send again"
                ) from error
            self._log.commit(lines)
            self._surface = None
            if then is not None:
                then()
        return first

    async def _close(self) -> None:
        async with self._writing:
            self._closed = True
            self._log.writer.close()
