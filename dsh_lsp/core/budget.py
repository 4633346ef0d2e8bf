"""The byte budget of one source, and the rule that gave it (docs/snapshots.md)."""

from __future__ import annotations

from dataclasses import dataclass


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
    raise NotImplementedError
