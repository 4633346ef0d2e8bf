"""Files that appear and change whole or not at all, readable by their owner alone."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO


def write_private(path: Path, content: bytes) -> None:
    """Write a file. Raises OSError; an earlier one is then still there."""
    with _replacing(path) as file:
        file.write(content)


def write_durably(path: Path, content: bytes) -> None:
    """The same, and return when the disk has it."""
    with _replacing(path) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Return when the disk has the names of what lies in a folder. Raises OSError."""
    if os.name != "posix":
        return  # elsewhere a folder cannot be opened
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its place when the block ends well."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(fresh, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
