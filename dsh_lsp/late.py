"""Parts that are built, and whose modules are imported, when something is first asked of them.

Most of a start is imports. What the first completion does not need waits for its first use
(docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

T = TypeVar("T")


def late(build: Callable[[], T]) -> T:
    """What `build` returns, as soon as an attribute of it is asked for."""
    return cast("T", _Late(build))


class _Late:
    def __init__(self, build: Callable[[], object]) -> None:
        self._built = cache(build)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._built(), name)
