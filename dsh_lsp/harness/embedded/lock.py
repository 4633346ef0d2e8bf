"""The lock by which a harness owns a session: one writer, and readers that never ask."""

from __future__ import annotations

import os
from pathlib import Path

from dsh_lsp.harness.exclusive import HeldError, lock, open_lock_file
from dsh_lsp.harness.port import HarnessError

LOCK_NAME = "session.lock"


class SessionHeldError(HarnessError):
    """Another process writes the session."""


class SessionLock:
    """Holds the lock file of one session's folder until it is released."""

    def __init__(self, folder: Path) -> None:
        self._descriptor = open_lock_file(folder / LOCK_NAME, 0o644)
        try:
            lock(self._descriptor)
        except HeldError as error:
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
