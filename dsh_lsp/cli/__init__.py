"""The command `dsh-lsp`. Each command is a module; nothing slow is imported before it runs."""

from __future__ import annotations

from dsh_lsp.cli.program import main

__all__ = ["main"]
