"""Another process that works on a prompt of an outbox, until it is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import sys, time
from pathlib import Path
from dsh_lsp.harness.delivery.outbox import FolderOutbox
entry = FolderOutbox(Path(sys.argv[1])).hold(sys.argv[2])
print("held", flush=True)
time.sleep(60)
"""


class Holder:
    """Holds the entry of one request id from the moment it is made."""

    def __init__(self, folder: Path, request_id: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(folder), request_id],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "held\n"

    def die(self) -> None:
        """End at once, with no chance to let go of anything."""
        self._process.kill()
        self._process.communicate()
