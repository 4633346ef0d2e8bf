"""Where the embedded harness gets the time and new names from; both are handed in."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

Clock = Callable[[], int]
"""The current time in Unix milliseconds."""

NewId = Callable[[], str]
"""A name that nothing else has."""


def system_clock() -> int:
    """The clock of this machine."""
    return time.time_ns() // 1_000_000


def random_id() -> str:
    """A random UUID, the form of name that a harness gives."""
    return str(uuid.uuid4())
