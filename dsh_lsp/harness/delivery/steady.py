"""What a harness says can be believed when it has said so for a while."""

from __future__ import annotations

import time
from collections.abc import Callable

from dsh_lsp.harness.port import ReceiptState


class Steady:
    """Remembers since when the same has been said of each prompt; `span` is in seconds."""

    def __init__(self, span: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._span = span
        self._clock = clock
        self._since: dict[str, tuple[ReceiptState, float]] = {}

    def holds(self, request_id: str, state: ReceiptState) -> bool:
        """Whether this has been said for the whole span, and nothing else meanwhile."""
        said, since = self._since.get(request_id, (None, 0.0))
        if said is not state:
            since = self._clock()
            self._since[request_id] = (state, since)
        return self._clock() - since >= self._span

    def forget(self, request_id: str) -> None:
        """A prompt will not be asked about any more."""
        self._since.pop(request_id, None)
