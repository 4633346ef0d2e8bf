"""Where in a log an earlier reading ended, and whether the log still goes on from there."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from dsh_lsp.core.log.events import SessionHeader
    from dsh_lsp.sessions.logfile import OpenLog

WORTH_RESUMING = 256 << 10
"""Bytes of a log file; a shorter one is read again as quickly as it is resumed."""

_CHECKED = 4 << 10

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place behind a whole frame: `digest` covers the file's first bytes and those before it."""

    revision: str  # of the file when it was marked
    inode: int
    offset: int
    digest: str

    def continues(self, log: OpenLog) -> bool:
        """Whether the log is the file that was marked, unchanged or longer. Raises OSError."""
        if log.inode != self.inode or log.size < self.offset:
            return False
        if log.size == self.offset and log.revision != self.revision:
            return False  # written to without growing
        return _digest(log, self.offset) == self.digest

    def as_json(self) -> list[Any]:
        """What `from_json` reads."""
        return [self.revision, self.inode, self.offset, self.digest]

    @staticmethod
    def from_json(value: Any) -> Mark:
        """Raises ValueError and TypeError for anything that `as_json` does not write."""
        revision, inode, offset, digest = value
        return Mark(str(revision), int(inode), int(offset), str(digest))


@dataclass(frozen=True, slots=True)
class Resumable(Generic[T]):
    """A fold that has taken in a log up to a mark. Going on changes the fold."""

    header: SessionHeader
    fold: T
    mark: Mark


def mark_at(log: OpenLog, offset: int) -> Mark | None:
    """A mark at an offset of an open log; None where it is not worth one. Raises OSError."""
    if offset < WORTH_RESUMING:
        return None
    return Mark(log.revision, log.inode, offset, _digest(log, offset))


def _digest(log: OpenLog, offset: int) -> str:
    checked = blake2b(digest_size=16)
    for start in (0, max(0, offset - _CHECKED)):
        checked.update(log.read(start, min(_CHECKED, offset)))
    return checked.hexdigest()
