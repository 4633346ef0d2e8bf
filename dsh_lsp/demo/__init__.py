"""The main job, end to end: a real server, a small editor, sample sessions, nothing made up."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.theme import Theme

from dsh_lsp.core.display import one_line
from dsh_lsp.demo.client import ServerError
from dsh_lsp.demo.plain import PlainScreen
from dsh_lsp.demo.screen import Screen
from dsh_lsp.demo.stage import StepFailedError
from dsh_lsp.demo.story import tell
from dsh_lsp.demo.terminal import TerminalScreen


def show() -> int:
    """Tell the story on standard output; 0 when every step did what it shows, else 1."""
    try:
        with tempfile.TemporaryDirectory(
            prefix="dsh-lsp-demo-", ignore_cleanup_errors=True
        ) as root:
            asyncio.run(tell(_screen(), Path(root).resolve()))
    except (StepFailedError, ServerError) as error:
        sys.stdout.flush()
        sys.stderr.write(f"dsh-lsp: the demo failed: {one_line(str(error))}\n")
        return 1
    return 0


def _screen() -> Screen:
    console = Console(highlight=False, theme=Theme({"markdown.code": "bold cyan"}))
    return TerminalScreen(console) if console.is_terminal else PlainScreen(sys.stdout)
