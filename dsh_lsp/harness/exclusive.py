"""The operating system's lock on an open file: it ends with the process that holds it."""

from __future__ import annotations

import os
import sys


class HeldError(Exception):
    """Somebody else holds the lock."""


def open_lock_file(path: str | os.PathLike[str], mode: int) -> int:
    """A descriptor to lock; the file is made with `mode` if need be. Raises OSError."""
    return os.open(path, os.O_RDWR | os.O_CREAT, mode)


if sys.platform == "win32":
    import msvcrt

    def lock(descriptor: int) -> None:
        """Take the lock without waiting. Raises `HeldError`, or OSError where there are none."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise HeldError from error

else:
    import fcntl

    def lock(descriptor: int) -> None:
        """Take the lock without waiting. Raises `HeldError`, or OSError where there are none."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            raise HeldError from error
