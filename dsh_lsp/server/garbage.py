"""How often Python looks for garbage that refers to itself.

Each look goes through all that was made since, and now and then through all there is: with the
titles of thousands of sessions, that holds up a keystroke for 30 ms. Nearly nothing here refers to
itself, so a look is seldom worth it (docs/performance.md).
"""

from __future__ import annotations

import gc

_THRESHOLDS = (20_000, 10, 50)


def begin() -> None:
    """Look seldom from the start on. Not looking at all would keep 8 MB, and 20 with all titles."""
    gc.set_threshold(*_THRESHOLDS)


def settle() -> None:
    """Leave alone what is there now; for what comes, look seldom."""
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
