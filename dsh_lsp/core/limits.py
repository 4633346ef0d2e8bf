"""How much one message may refer to (docs/snapshots.md)."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.core.budget import DEFAULT_BUDGET
from dsh_lsp.core.failures import InvalidConfigError

MAX_REFERENCES = 3
"""The hard cap on distinct sources of one message."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one preparation. Raises `InvalidConfigError` when out of range."""

    max_references: int = MAX_REFERENCES
    max_reference_bytes: int = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        # `type`, since a boolean is an int to Python.
        if type(self.max_references) is not int or not 1 <= self.max_references <= MAX_REFERENCES:
            raise InvalidConfigError(
                f"maxReferences must be a whole number from 1 to {MAX_REFERENCES}"
            )
        if type(self.max_reference_bytes) is not int or self.max_reference_bytes < 1:
            raise InvalidConfigError("maxReferenceBytes must be a whole number of bytes from 1 up")
