"""What has been read, kept by the revision of the file that it was read from."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class RevisionCache(Generic[T]):
    """A bounded memory, least recently used out first; safe to use from several threads.

    A key has one value, which counts only for the revision that it was put with.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._size = 0
        self._kept: OrderedDict[str, tuple[str, T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, revision: str) -> T | None:
        """The value of a key, if it was put with this revision."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept[0] != revision:
                return None
            self._kept.move_to_end(key)
            return kept[1]

    def holds(self, key: str, revision: str) -> bool:
        """Whether there is a value of that revision. Quick, and no use of it."""
        kept = self._kept.get(key)
        return kept is not None and kept[0] == revision

    def put(self, key: str, revision: str, value: T, cost: int = 1) -> None:
        """Keep a value; `cost` is in the unit of the capacity. The newest stays, however big."""
        with self._lock:
            self._drop(key)
            self._kept[key] = (revision, value, cost)
            self._size += cost
            while self._size > self._capacity and len(self._kept) > 1:
                self._drop(next(iter(self._kept)))

    def take(self, key: str) -> T | None:
        """The value of a key, of whatever revision, which is not kept any more."""
        with self._lock:
            return self._drop(key)

    def _drop(self, key: str) -> T | None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return None
        self._size -= kept[2]
        return kept[1]
