"""A log in a store that changes as a host changes it."""

from __future__ import annotations

import shutil
from pathlib import Path

from dsh_lsp.core.mentions import format_mention
from tests.support.log_script import Script, line
from tests.support.store_writer import frame, log_path

CWD = "/home/dev/project-0"


class ChangingLog:
    """A session of one short turn that has a title. Nothing is on disk at first."""

    def __init__(self, root: Path, session_id: str, title: str) -> None:
        self._script = Script(session_id, version=4, cwd=CWD, created_at=1_800_000_000_000)
        self._script.exchange("What is this about?", "It is a short talk.")
        self._script.title(title)
        self._path = log_path(root, self._script)
        self.title = title
        """The one that it has at first."""
        self.mention = format_mention(session_id, title)
        """With this title."""

    def appear(self) -> None:
        """The log is written: its header, then a frame."""
        self._path.parent.mkdir(parents=True)
        self._path.write_bytes(frame(line(self._script.header)))
        self._append()

    def grow(self, size: int) -> None:
        """Somebody says something of `size` characters."""
        self._script.exchange("word " * (size // 5), "Thank you.")
        self._append()

    def rename(self, title: str) -> None:
        """The session gets another title."""
        self._script.batch()
        self._script.title(title)
        self._append()

    def vanish(self) -> None:
        """The session's folder is removed."""
        shutil.rmtree(self._path.parent)

    def _append(self) -> None:
        batches, self._script.batches = self._script.batches, []
        with self._path.open("ab") as file:
            for batch in batches:
                file.write(frame(b"".join(map(line, batch))))
