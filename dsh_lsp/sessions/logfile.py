"""Reading one log file: its header, or its lines in order. Only ever opens for reading."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Protocol

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.events import SessionHeader, parse_header
from dsh_lsp.sessions.frames import Batch, LogDecoder
from dsh_lsp.sessions.layout import LogName
from dsh_lsp.sessions.scan import os_fault, revision_of
from dsh_lsp.sessions.zstdframes import CorruptLogError

_HEADER_READ = 4 << 10
_READ = 256 << 10

# Opening must neither wait for a writer (a FIFO) nor become our terminal, whatever lies there.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Stop(Protocol):
    """Asks a read in another thread to end early, since nobody waits for it any more."""

    def is_set(self) -> bool:
        """Whether to end."""
        ...


class StoppedError(Exception):
    """A read ended early because it was asked to."""


@dataclass(frozen=True, slots=True)
class OpenLog:
    """A log open for reading, as it was at one moment: `size` bytes of this `revision`."""

    path: str
    file: IO[bytes]
    name: LogName
    size: int
    revision: str
    inode: int = 0


@contextmanager
def open_log(path: str, name: LogName) -> Iterator[OpenLog]:
    """Open a log. Raises `ReadFailedError` for whatever goes wrong within the block.

    Its message does not name the path, since a listing does that in its own way.
    """
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ReadFailedError(
                    "this is not a regular file; move it out of the store",
                    ReadFault.UNREADABLE,
                )
            yield OpenLog(path, file, name, status.st_size, revision_of(status), status.st_ino)
    except OSError as error:
        fault = os_fault(path, error)
        raise ReadFailedError(fault.message, fault.reason) from error
    except CorruptLogError as error:
        raise ReadFailedError(
            f"the log is damaged at byte {error.offset} ({error.message}); open the "
            "session in the harness to see what can be saved, or move its folder out of the store",
            ReadFault.CORRUPT,
        ) from error


def read_header(path: str, name: LogName) -> tuple[SessionHeader, str]:
    """The header and the revision that it was read from. Reads little more than the header."""
    with open_log(path, name) as log:
        decoder = LogDecoder(name.compression)
        for piece in _pieces(log, _HEADER_READ):
            for batch in decoder.feed(piece):
                return header_of(batch.lines[0]), log.revision
        for _ in decoder.close():  # raises, since there is no header
            pass
        raise AssertionError("a log without a header was closed")


def header_of(line: bytes) -> SessionHeader:
    """The header that a log's first line holds. Raises `ReadFailedError`."""
    try:
        return parse_header(line)
    except ValueError as error:
        raise ReadFailedError(
            f"{error}; if a newer harness wrote this log, update dsh-lsp, "
            "else move its folder out of the store",
            ReadFault.CORRUPT,
        ) from error


def batches(log: OpenLog, stop: Stop, offset: int = 0) -> Iterator[Batch]:
    """All complete lines of a log, header first, or those behind a batch's offset.

    Raises `StoppedError` when asked to stop.
    """
    decoder = LogDecoder(log.name.compression, offset=offset)
    for piece in _pieces(log, _READ, offset):
        for batch in decoder.feed(piece):
            yield batch
            if stop.is_set():
                raise StoppedError
    yield from decoder.close()


def _pieces(log: OpenLog, size: int, offset: int = 0) -> Iterator[bytes]:
    """The file's bytes up to the size that it had when it was opened: one moment of a live log."""
    log.file.seek(offset)
    left = log.size - offset
    while left > 0:
        piece = log.file.read(min(size, left))
        if not piece:
            return
        left -= len(piece)
        yield piece
