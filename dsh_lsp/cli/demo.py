"""`dsh-lsp demo`: the main job, end to end, on sample sessions."""

from __future__ import annotations

import argparse
from typing import Any


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "demo",
        help="watch the main job on sample sessions",
        description="Write sample sessions into a temporary folder, start the real server as an "
        "editor would, and complete, check, correct, hover, preview and send a prompt. Your own "
        "sessions are not touched, and nothing is left behind.",
    )
    parser.add_argument("--debug", action="store_true", help="show tracebacks of faults")
    parser.set_defaults(run=run)


def run(_options: argparse.Namespace) -> int:
    """Run the demo."""
    from dsh_lsp.demo import show

    return show()
