"""What the harness says of itself, remembered for a while."""

from __future__ import annotations

import time

from dsh_lsp.harness.port import Description, Harness, HarnessError

_FRESH_SECONDS = 30.0

_MISSING_SECONDS = 2.0
"""A session that a harness does not have may be made at any moment."""


class HarnessFacts:
    """What the harness says of itself, asked again only after a while."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._answer: Description | None = None
        self._until = 0.0
        self._asked: tuple[str, bool, float] | None = None

    def forget(self) -> None:
        """Ask again at once, as after a login."""
        self._until = 0.0
        self._asked = None

    async def has_session(self, session_id: str) -> bool | None:
        """Whether a session can be a target of the harness; None when it cannot tell."""
        if self._asked is not None and self._asked[0] == session_id:
            _, known, until = self._asked
            if time.monotonic() < until:
                return known
        try:
            known = await self._harness.has_session(session_id)
        except HarnessError:
            return None
        fresh = _FRESH_SECONDS if known else _MISSING_SECONDS
        self._asked = (session_id, known, time.monotonic() + fresh)
        return known

    async def describe(self) -> Description | None:
        """The description; None while there is no harness that answers."""
        if time.monotonic() >= self._until:
            try:
                self._answer = await self._harness.describe()
            except HarnessError:
                self._answer = None
            self._until = time.monotonic() + _FRESH_SECONDS
        return self._answer
