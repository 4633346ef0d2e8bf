"""A project folder, a session store and an embedded harness of one's own, for editor tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_lsp.core.uri import encode
from tests.support.log_script import Script
from tests.support.store_writer import write_log


@dataclass(frozen=True)
class Desk:
    """Where an editor test works."""

    project: Path
    home: Path
    embedded: Path

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the server that keep everything in here."""
        return {
            "home": str(self.home),
            "harness": {"mode": "embedded"},
            "embedded": {"root": str(self.embedded)},
            "cache": {"enabled": False},
        }

    def remember(self, session_id: str, title: str, prompt: str, reply: str) -> str:
        """Put a session of this project into the store, and return its URI."""
        script = Script(session_id, version=4, cwd=str(self.project))
        script.policies()
        script.exchange(prompt, reply)
        script.title(title)
        write_log(self.home / "sessions", script)
        return encode(session_id)
