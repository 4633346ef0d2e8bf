"""The bytes of a log: a frame for the header, one for each batch (docs/storage.md)."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import zstandard

from dsh_lsp.core.log.events import NEWEST_FORMAT
from dsh_lsp.harness.embedded.lock import SessionLock
from dsh_lsp.harness.private_file import sync_folder
from dsh_lsp.sessions.frames import LogDecoder
from dsh_lsp.sessions.layout import Compression, LogName

LOG_NAME = str(LogName(NEWEST_FORMAT, Compression.ZSTD))
_READ_SIZE = 1 << 20


class LogWriter:
    """Appends whole lines to one log that this process owns. Every call blocks on the disk."""

    def __init__(self, path: Path, lock: SessionLock) -> None:
        self.path = path
        self._lock = lock
        self._file = path.open("r+b", buffering=0)
        self._size = self._file.seek(0, os.SEEK_END)
        self._sound = True

    @classmethod
    def create(cls, folder: Path, header: bytes) -> LogWriter:
        """Begin a log. Nobody ever sees it without its whole header. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        with _owned(folder) as lock:
            path = folder / LOG_NAME
            draft = path.with_name(f"{LOG_NAME}.tmp")
            with draft.open("wb") as file:
                file.write(_frame([header]))
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(draft, path)
            finally:
                draft.unlink()
            sync_folder(folder)
            return cls(path, lock)

    @classmethod
    def reopen(cls, folder: Path) -> tuple[LogWriter, list[bytes]]:
        """Go on with a log, and the lines that it holds, the header first.

        A torn tail is cut off; the whole lines that it still held are written again. Raises
        OSError and `CorruptLogError`.
        """
        with _owned(folder) as lock:
            path = folder / LOG_NAME
            lines, decoder = _decode(path)
            writer = cls(path, lock)
            if decoder.torn:
                writer._truncate(decoder.offset)
                kept, _ = _decode(path)
                writer.append(lines[len(kept) :])
            return writer, lines

    def append(self, lines: Sequence[bytes]) -> None:
        """Write one batch of lines, and return when the disk has it; all or nothing.

        Raises OSError; the log is then as before.
        """
        if not lines:
            return
        if not self._sound:
            raise OSError(errno.EIO, "an earlier write stopped half-way; open the log again")
        frame = _frame(lines)
        try:
            self._file.seek(self._size)
            written = 0
            while written < len(frame):
                written += self._file.write(frame[written:])
            os.fsync(self._file.fileno())
        except OSError:
            self._sound = False
            self._truncate(self._size)
            self._sound = True
            raise
        self._size += len(frame)

    def close(self) -> None:
        """Give the log up."""
        self._file.close()
        self._lock.release()

    def _truncate(self, size: int) -> None:
        self._file.truncate(size)
        os.fsync(self._file.fileno())
        self._size = size


def _frame(lines: Sequence[bytes]) -> bytes:
    text = b"".join(line + b"\n" for line in lines)
    return zstandard.ZstdCompressor(write_checksum=True).compress(text)


def _decode(path: Path) -> tuple[list[bytes], LogDecoder]:
    decoder = LogDecoder(Compression.ZSTD)
    lines: list[bytes] = []
    with path.open("rb") as file:
        while data := file.read(_READ_SIZE):
            for batch in decoder.feed(data):
                lines += batch.lines
    for batch in decoder.close():
        lines += batch.lines
    return lines, decoder


@contextlib.contextmanager
def _owned(folder: Path) -> Iterator[SessionLock]:
    lock = SessionLock(folder)
    try:
        yield lock
    except BaseException:
        lock.release()
        raise
