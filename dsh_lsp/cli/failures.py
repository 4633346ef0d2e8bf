"""How a command ends."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """Exit statuses of every command, as docs/command-line.md lists them."""

    FINE = 0
    PROBLEMS = 1  # the command did its work and the answer is no
    USAGE = 2  # wrong arguments, settings or files: nothing was done
    FAULT = 70  # a fault of dsh-lsp itself
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class UserError(Exception):
    """Something that the user can put right; the message says how, already safe to show."""
