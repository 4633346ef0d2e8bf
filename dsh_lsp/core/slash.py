"""Slash commands: a host that gets one as a prompt would pass it to the model as text."""

from __future__ import annotations

import re

from dsh_lsp.core.text import Span

_COMMAND = re.compile(r"\s*(/[A-Za-z][A-Za-z0-9_-]{0,63})(?=\s|$)")


def leading_command(text: str, start: int = 0) -> Span | None:
    """The command with its slash, such as `/compact`, that a prompt from `start` on begins with."""
    found = _COMMAND.match(text, start)
    return None if found is None else Span(*found.span(1))
