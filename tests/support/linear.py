"""Whether some work takes linear time, by the growth of its time within one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

MOST = 5.0
"""Four times the input may take five times as long."""

_ATTEMPTS = 30
_RUNS = 4


def is_linear(work: Callable[[Input], object], small: Input, large: Input) -> bool:
    """Whether `large`, four times `small`, takes at most five times as long.

    Processor time is measured, for other programs may hold the machine. What noise is left can only
    lengthen a run, so the quietest run counts, and one quiet attempt is enough: quadratic work
    takes sixteen times as long, however quiet the machine is.
    """
    gc.collect()
    gc.freeze()  # what the test run holds already is no part of the work
    try:
        return any(_best(work, large) <= MOST * _best(work, small) for _ in range(_ATTEMPTS))
    finally:
        gc.unfreeze()


def _best(work: Callable[[Input], object], value: Input) -> float:
    times = []
    for _ in range(_RUNS):
        start = time.process_time()
        work(value)
        times.append(time.process_time() - start)
    return min(times)
