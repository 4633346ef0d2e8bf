"""The byte budget of one source, and the rule that gave it (docs/snapshots.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass

DEFAULT_BUDGET = 65_536
"""UTF-8 bytes of one source, where neither the host nor the user says otherwise."""

_BYTES_PER_TOKEN = 4
_SHARE = 0.2  # of the context window


@dataclass(frozen=True, slots=True)
class Budget:
    """Bytes for each source and, for people, the rule that gave the number."""

    size: int
    rule: str


def host_budget(
    *,
    host_says: int | None,
    target_format: int | None,
    context_window: int | None,
) -> Budget:
    """The budget that a harness would use.

    `host_says` is what a connected harness tells, in bytes; `target_format` the log format of the
    target; `context_window` the target's latest one, else the latest of the store, in tokens.
    """
    if host_says is not None and host_says >= 1:
        return Budget(host_says, "as the connected harness says")
    if target_format == 0:
        return Budget(DEFAULT_BUDGET, "the fixed budget of harnesses that write log format 0")
    if context_window is None:
        return Budget(DEFAULT_BUDGET, "the default, since no log tells a context window")
    share = math.floor(context_window * _BYTES_PER_TOKEN * _SHARE)
    window = f"the context window of {context_window:,} tokens, {_BYTES_PER_TOKEN} bytes each"
    if share <= DEFAULT_BUDGET:
        return Budget(DEFAULT_BUDGET, f"the least budget, since a fifth of {window}, is less")
    return Budget(share, f"a fifth of {window}")
