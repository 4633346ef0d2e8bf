"""Refusing slash commands: a host that gets one as a prompt passes it to the model as text."""

from __future__ import annotations

from dsh_lsp.core.slash import leading_command
from dsh_lsp.harness.wire.errors import CommandLineError


def refuse_command(text: str) -> None:
    """Raises `CommandLineError` for a prompt that begins with a command, such as `/compact`."""
    command = leading_command(text)
    if command is not None:
        raise CommandLineError(
            f"the prompt begins with the command {command.of(text)}, which the harness would "
            "pass to the model as text. Run commands in the harness itself; to send it as text, "
            "write a word before it. Nothing was sent"
        )
