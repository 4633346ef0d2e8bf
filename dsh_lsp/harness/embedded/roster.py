"""The sessions of the embedded harness: those that are open, and those that lie in its store."""

from __future__ import annotations

from pathlib import Path

import anyio
import anyio.to_thread

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.harness.embedded.ambient import Clock, NewId
from dsh_lsp.harness.embedded.live import LiveSession
from dsh_lsp.harness.embedded.sessionlog import SessionLog
from dsh_lsp.harness.embedded.unbroken import Unbroken
from dsh_lsp.harness.embedded.writer import LOG_NAME
from dsh_lsp.harness.port import HarnessError, UnknownSessionError
from dsh_lsp.sessions.inventory import Inventory
from dsh_lsp.sessions.scan import FoundLog
from dsh_lsp.sessions.zstdframes import CorruptLogError


class Roster:
    """Opens sessions when they are needed, and keeps them until it is closed.

    All of them lie in `store`, and nothing is ever written anywhere else.
    """

    def __init__(self, store: Path, clock: Clock, new_id: NewId) -> None:
        self.live: dict[str, LiveSession] = {}
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._inventory = Inventory(store)
        self._opening = anyio.Lock()
        self._unbroken = Unbroken()

    async def create(self, cwd: str | None) -> LiveSession:
        """Begin a session. Raises `HarnessError` when the store cannot be written."""
        return await self._unbroken.run(self._create(cwd))

    async def _create(self, cwd: str | None) -> LiveSession:
        session_id = f"session-{self._new_id()}"
        try:
            log = await anyio.to_thread.run_sync(
                SessionLog.create, self._store, session_id, cwd, self._clock
            )
        except OSError as error:
            raise HarnessError(
                f"no session can be made in {self._store}: {error.strerror or error}; "
                "set dsh.embedded.root to a folder that you may write"
            ) from error
        session = self.live[session_id] = LiveSession(log)
        return session

    async def attach(self, session_id: str) -> LiveSession:
        """The open session of this id; a stored one is opened first.

        Raises `UnknownSessionError`, and `HarnessError` when the log cannot be continued.
        """
        return await self._unbroken.run(self._attach(session_id))

    async def _attach(self, session_id: str) -> LiveSession:
        async with self._opening:
            session = self.live.get(session_id)
            if session is not None and session.failed:
                await self.live.pop(session_id).close()
                session = None
            if session is None:
                session = await self._reopen(session_id)
                self.live[session_id] = session
            return session

    async def find(self, session_id: str) -> FoundLog:
        """Where the log of a session lies. Raises `UnknownSessionError` and `HarnessError`."""
        try:
            found = await anyio.to_thread.run_sync(self._inventory.find, session_id)
        except ReadFailedError as error:
            if error.reason is ReadFault.NOT_FOUND:
                raise UnknownSessionError(
                    "the embedded harness has no such session; choose one of its sessions as the "
                    "target, or make a new one"
                ) from error
            raise HarnessError(error.message) from error
        if str(found.name) != LOG_NAME:
            raise HarnessError(
                f"{found.path}: the embedded harness only continues logs named {LOG_NAME}; "
                "make a new session and mention this one in it"
            )
        return found

    async def close(self) -> None:
        """Give all sessions up, also those that are just being opened."""
        await self._unbroken.drained()
        while self.live:
            _, session = self.live.popitem()
            await session.close()

    async def _reopen(self, session_id: str) -> LiveSession:
        found = await self.find(session_id)
        folder = Path(found.path).parent
        try:
            log = await anyio.to_thread.run_sync(SessionLog.reopen, folder, self._clock)
        except OSError as error:
            raise HarnessError(
                f"{found.path} cannot be continued: {error.strerror or error}; "
                "restore the right to write there, or choose another target"
            ) from error
        except (CorruptLogError, ReadFailedError, ValueError) as error:
            raise HarnessError(
                f"{found.path} cannot be continued: {error}; choose another target"
            ) from error
        return LiveSession(log)
