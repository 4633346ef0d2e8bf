"""How long a delivery waits for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dsh_lsp.harness.port import ReceiptState


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds. A queue is watched for a short time: an idle session takes a prompt up at once."""

    receipt: Mapping[ReceiptState, float] = field(
        default_factory=lambda: {ReceiptState.WAITING: 5.0, ReceiptState.QUEUED: 1.0}
    )
    search: float = 3.0  # for a prompt whose answer was lost
    look: float = 10.0  # one look at a target
    recheck: float = 2.0  # between two looks before a second attempt: a host may just be waking up
    steady: float = 1.0  # a host writes what it says within a quarter of it
    shortest_pause: float = 0.02
    longest_pause: float = 0.5
    shortest_round: float = 1.0
    longest_round: float = 10.0
