"""One stored log through a fold, all of it or what an earlier reading left over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.log.events import SessionHeader
from dsh_lsp.sessions.layout import Compression, LogName
from dsh_lsp.sessions.logfile import OpenLog, Stop, batches, header_of, open_log
from dsh_lsp.sessions.resume import Resumable, mark_at

_HELD = 256 << 10
"""Bytes of a frame that wait for its end, so that those of a torn one can be left out again."""

T = TypeVar("T")


class _Fold(Protocol):
    """Takes the lines of a log behind its header."""

    def feed_text(self, text: bytes) -> None: ...

    def settle(self) -> None: ...

    def copy(self) -> Self: ...


Fold = TypeVar("Fold", bound=_Fold)


@dataclass(frozen=True, slots=True)
class Read(Generic[T, Fold]):
    """What was made of a log at one revision, and from where a longer one can be read on."""

    value: T
    revision: str
    size: int  # bytes of the file
    resumable: Resumable[Fold] | None


@dataclass(frozen=True, slots=True)
class Folding(Generic[Fold]):
    """A fold of a log: how it begins behind the header, and an earlier one that may go on."""

    begin: Callable[[SessionHeader], Fold]
    earlier: Resumable[Fold] | None


def read(
    path: str,
    name: LogName,
    stop: Stop,
    folding: Folding[Fold],
    finish: Callable[[Fold], T],
) -> Read[T, Fold]:
    """What `finish` makes of the fold of a log. Raises `ReadFailedError` and `StoppedError`."""
    try:
        with open_log(path, name) as log:
            whole, torn = _fold(log, stop, folding)
            return Read(finish(torn), log.revision, log.size, whole)
    except ReadFailedError as error:
        raise ReadFailedError(f"{one_line(path)}: {error.message}", error.reason) from error


def _fold(log: OpenLog, stop: Stop, folding: Folding[Fold]) -> tuple[Resumable[Fold] | None, Fold]:
    """A fold up to the last whole frame, and one that took in what was saved behind it too.

    Only a whole frame settles: a plain log has none, and of a torn one the end may be missing.
    """
    earlier = folding.earlier
    if earlier is not None and not earlier.mark.continues(log):
        earlier = None
    start = earlier.mark.offset if earlier else 0
    pieces = batches(log, stop, start)
    header = earlier.header if earlier else header_of(next(pieces).lines[0])
    fold = earlier.fold if earlier else folding.begin(header)
    plain = log.name.compression is Compression.NONE
    reached: int | None = start  # where a later reading can go on with this fold
    held = b""
    for piece in pieces:
        held += piece.text
        if piece.ended or plain or len(held) > _HELD:
            fold.feed_text(held)
            held = b""
            reached = piece.offset
            if piece.ended:
                fold.settle()
    mark = mark_at(log, reached) if reached is not None else None
    resumable = Resumable(header, fold, mark) if mark is not None else None
    if not held:
        return resumable, fold
    torn = fold.copy() if resumable else fold
    torn.feed_text(held)
    return resumable, torn
