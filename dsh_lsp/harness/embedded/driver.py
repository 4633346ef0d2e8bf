"""Runs the turns of one session, one after another, for as long as something waits."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import anyio

from dsh_lsp.harness.embedded.background import Background
from dsh_lsp.harness.embedded.draft import ABORTED, INTERRUPTED
from dsh_lsp.harness.embedded.live import LiveSession, LogFailedError
from dsh_lsp.harness.embedded.loop import Loop
from dsh_lsp.harness.embedded.turns import closing

_LOG = logging.getLogger(__name__)


class Driver:
    """Wakes when something was put into the inbox, and stops by itself."""

    def __init__(self, session: LiveSession, loop: Loop, background: Background) -> None:
        self.session = session
        self._loop = loop
        self._background = background
        self._idle: anyio.Event | None = None
        self._held = False
        self._turn = anyio.CancelScope()

    def wake(self) -> None:
        """Run what waits, also what `cancel` left waiting."""
        self._held = False
        if self._idle is None and self._background.start(self._drive):
            self._idle = anyio.Event()

    def cancel(self) -> None:
        """End the running turn. What waits goes on waiting until the next `wake`."""
        self._held = self._idle is not None
        self._turn.cancel()

    async def idle(self) -> None:
        """Return when no turn runs and none is about to."""
        while self._idle is not None:
            await self._idle.wait()

    async def _drive(self) -> None:
        try:
            while self.session.ledger.inbox.pending and not self._held:
                async with self.session.work:
                    if not self._held:
                        await self._turn_to_its_end()
        except LogFailedError as error:
            _LOG.error("%s", error)
        except Exception as error:
            # A mistake of ours must cost this session only; its log says how far it came.
            _LOG.error("a session stopped: %s", type(error).__name__)
            self.session.failed = True
        finally:
            idle, self._idle = self._idle, None
            if idle is not None:
                idle.set()

    async def _turn_to_its_end(self) -> None:
        self._turn = anyio.CancelScope()
        try:
            with self._turn:
                await self._loop.run_turn(self.session)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._close(INTERRUPTED)
            raise
        if self._turn.cancelled_caught:
            await self._close(ABORTED)

    async def _close(self, reason: Mapping[str, Any]) -> None:
        await self.session.record_from(lambda _: closing(self.session.ledger, reason))
