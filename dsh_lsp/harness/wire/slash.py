"""Slash commands: a host that gets one as a prompt passes it to the model as text."""

from __future__ import annotations

import re

from dsh_lsp.core.display import one_line
from dsh_lsp.harness.wire.errors import CommandLineError

_COMMAND = re.compile(r"\s*/([A-Za-z][A-Za-z0-9_-]{0,63})(?=\s|$)")


def refuse_command(text: str) -> None:
    """Raises `CommandLineError` for a prompt that begins with a command, such as `/compact`."""
    found = _COMMAND.match(text)
    if found is not None:
        raise CommandLineError(
            f"the prompt begins with the command /{one_line(found[1])}, which the harness would "
            "pass to the model as text. Run commands in the harness itself; to send it as text, "
            "write a word before it. Nothing was sent"
        )
