"""How often Python looks for garbage that refers to itself.

Each look goes through all that was made since, and now and then through all there is: with the
titles of thousands of sessions, that holds up a keystroke for 30 ms. Nearly nothing here refers to
itself, so a look is seldom worth it (docs/performance.md).
"""

from __future__ import annotations

import gc

_THRESHOLDS = (20_000, 10, 50)


def begin() -> None:
    """Do not look during the imports of a start, which takes 25 ms of it and spares 8 MB."""
    gc.disable()


def settle() -> None:
    """Take away what the imports left, leave alone the rest, and from now on look seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    gc.enable()
