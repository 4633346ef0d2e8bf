"""The lock by which a harness owns a session: one writer, and readers that never ask."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dsh_lsp.harness.port import HarnessError

LOCK_NAME = "session.lock"


class SessionHeldError(HarnessError):
    """Another process writes the session."""


class SessionLock:
    """Holds the lock file of one session's folder until it is released."""

    def __init__(self, folder: Path) -> None:
        self._descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _take(self._descriptor)
        except (BlockingIOError, PermissionError) as error:
            os.close(self._descriptor)
            raise SessionHeldError(
                "another process writes this session; stop it, or choose another target"
            ) from error
        except OSError:  # a file system without locks
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Let others write. The file stays, as a harness leaves it."""
        os.close(self._descriptor)


if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
