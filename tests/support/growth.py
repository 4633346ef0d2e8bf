"""How the time of some work grows with its input, measured in one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

LINEAR = 7.0
"""Four times the input may take this many times as long: four, and the noise of a busy machine.

Quadratic work takes sixteen times as long.
"""

_ATTEMPTS = 4
_RUNS = 4


def growth(work: Callable[[Input], object], small: Input, large: Input) -> float:
    """How many times as long the work takes on the large input, at the quietest of several times.

    Noise can only lengthen a run, and here it must lengthen every attempt's to be seen.
    """
    return min(_attempt(work, small, large) for _ in range(_ATTEMPTS))


def _attempt(work: Callable[[Input], object], small: Input, large: Input) -> float:
    return _best(work, large) / _best(work, small)


def _best(work: Callable[[Input], object], value: Input) -> float:
    times = []
    for _ in range(_RUNS):
        gc.disable()  # a collection's time depends on everything else that the tests hold
        try:
            start = time.perf_counter()
            work(value)
            times.append(time.perf_counter() - start)
        finally:
            gc.enable()
    return min(times)
