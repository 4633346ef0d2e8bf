"""Where a prompt is: what the harness says, and what its store on this disk holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.harness.delivery.trace import trace_on_disk
from dsh_lsp.harness.port import (
    Harness,
    HarnessError,
    Receipt,
    ReceiptState,
    UnknownRequestError,
    UnknownSessionError,
)
from dsh_lsp.sessions.inventory import Inventory
from dsh_lsp.sessions.threads import in_thread

_FINAL = (ReceiptState.CAPTURED, ReceiptState.ENDED)


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a prompt was seen. `durable`: it was read from what a disk holds."""

    receipt: Receipt
    durable: bool


class Witness(Protocol):
    """Looks for a prompt in its target, which is never opened by that."""

    async def sight(self, session_id: str, request_id: str) -> Sighting:
        """Raises `UnknownRequestError` when it is not there, and like `Harness.receipt`."""
        ...


class DurableHarness:
    """The witness of a harness that knows nothing which its disk does not have."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness

    async def sight(self, session_id: str, request_id: str) -> Sighting:
        """What the harness says."""
        return Sighting(await self._harness.receipt(session_id, request_id), durable=True)


class HostAndStore:
    """The witness of a host: what it says is in its memory, and its store may be on this disk.

    The disk is read where the host says something final, so that it can be believed, and where the
    host does not know or does not answer.
    """

    def __init__(self, harness: Harness, root: Path) -> None:
        self._harness = harness
        self._inventory = Inventory(root)

    async def sight(self, session_id: str, request_id: str) -> Sighting:
        """What the disk holds where it must, else what the host says."""
        try:
            receipt = await self._harness.receipt(session_id, request_id)
        except HarnessError as fault:
            found = await self._on_disk(session_id, request_id)
            if found is None:
                raise
            if isinstance(fault, UnknownRequestError | UnknownSessionError):
                return Sighting(found, durable=True)
            return Sighting(_unattended(found, fault), durable=True)
        if receipt.state not in _FINAL:
            return Sighting(receipt, durable=False)
        found = await self._on_disk(session_id, request_id)
        if found is not None and found.state is receipt.state:
            return Sighting(found, durable=True)
        return Sighting(receipt, durable=False)

    async def _on_disk(self, session_id: str, request_id: str) -> Receipt | None:
        """None where the store does not hold the session, or holds nothing of the prompt."""
        try:
            return await in_thread(partial(trace_on_disk, self._inventory, session_id, request_id))
        except ReadFailedError:
            return None


def _unattended(found: Receipt, fault: HarnessError) -> Receipt:
    """What a log holds while no host can be asked whether anything goes on."""
    if found.state in _FINAL:
        return found
    return Receipt(found.state, place=found.place, reason=str(fault))
