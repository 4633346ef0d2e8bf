"""When the outbox is looked through again, and what of it its user has not been told yet."""

from __future__ import annotations

from collections.abc import Sequence

import anyio

from dsh_lsp.harness.port import Pending, Standing

_UNEVENTFUL = (Standing.SENDING, Standing.WAITING)

_AT_REST = (Standing.KEPT, Standing.SENDING)
"""What its user knows, or somebody else is about to tell."""


class Rounds:
    """Round after round, ever more seldom; at once when something is sent. Times are seconds.

    The first round tells of everything that an earlier process left behind. Later ones tell of
    that and of what this process has sent; prompts of others are theirs to tell.
    """

    def __init__(self, shortest: float, longest: float) -> None:
        self._shortest = shortest
        self._longest = longest
        self._span = shortest
        self._woken = anyio.Event()
        self._told: dict[str, Standing] = {}
        self._is_first = True

    def note(self, request_id: str, standing: Standing) -> None:
        """The user has been told this, and shall be told what comes after it."""
        self._told[request_id] = standing
        self._woken.set()

    def fresh(self, items: Sequence[Pending]) -> tuple[Pending, ...]:
        """Those of all prompts that are to be told now."""
        found = tuple(item for item in items if self._is_fresh(item))
        self._told |= {item.outgoing.request_id: item.standing for item in found}
        self._is_first = False
        return found

    async def pause(self, *, pending: int) -> None:
        """Return when it is time for another round; without pending prompts, only when woken."""
        with anyio.move_on_after(self._span if pending else None) as waiting:
            await self._woken.wait()
        self._span = min(self._longest, self._span * 2)
        if not waiting.cancelled_caught:
            self._woken = anyio.Event()
            self._span = self._shortest

    def _is_fresh(self, item: Pending) -> bool:
        told = self._told.get(item.outgoing.request_id)
        if item.standing in _AT_REST or item.standing is told:
            return False
        return self._is_first if told is None else item.standing not in _UNEVENTFUL
