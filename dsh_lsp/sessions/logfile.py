"""Reading one log file: its header, or its lines in order. Only ever opens for reading."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

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

    descriptor: int
    name: LogName
    size: int
    revision: str
    inode: int

    def read(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from an offset on. Raises OSError."""
        os.lseek(self.descriptor, offset, os.SEEK_SET)
        return os.read(self.descriptor, size)

    def pieces(self, size: int, offset: int = 0) -> Iterator[bytes]:
        """All bytes from an offset on, at most `size` at a time. Raises OSError.

        Up to the size that the file had when it was opened: one moment of a live log.
        """
        while offset < self.size and (piece := self.read(offset, min(size, self.size - offset))):
            offset += len(piece)
            yield piece


@contextmanager
def open_log(path: str, name: LogName) -> Iterator[OpenLog]:
    """Open a log. Raises `ReadFailedError` for whatever goes wrong within the block.

    Its message does not name the path, since a listing does that in its own way.
    """
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise ReadFailedError(
                    "this is not a regular file; move it out of the store",
                    ReadFault.UNREADABLE,
                )
            yield OpenLog(descriptor, name, status.st_size, revision_of(status), status.st_ino)
        finally:
            os.close(descriptor)
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
        for piece in log.pieces(_HEADER_READ):
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
    for piece in log.pieces(_READ, offset):
        for batch in decoder.feed(piece):
            yield batch
            if stop.is_set():
                raise StoppedError
    yield from decoder.close()
