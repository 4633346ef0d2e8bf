"""What the harness says of itself, remembered for a while."""

from __future__ import annotations

import time

from dsh_lsp.harness.port import Description, Harness, HarnessError

_FRESH_SECONDS = 30.0


class HarnessFacts:
    """What the harness says of itself, asked again only after a while."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._answer: Description | None = None
        self._until = 0.0

    def forget(self) -> None:
        """Ask again at once, as after a login."""
        self._until = 0.0

    async def describe(self) -> Description | None:
        """The description; None while there is no harness that answers."""
        if time.monotonic() >= self._until:
            try:
                self._answer = await self._harness.describe()
            except HarnessError:
                self._answer = None
            self._until = time.monotonic() + _FRESH_SECONDS
        return self._answer
