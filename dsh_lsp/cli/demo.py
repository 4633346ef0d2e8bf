"""`dsh-lsp demo`: the main job, end to end, on sample sessions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dsh_lsp.cli.failures import ExitStatus, UserError
from dsh_lsp.cli.folders import folder
from dsh_lsp.core.display import one_line


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "demo",
        help="watch the main job on sample sessions",
        description="Write sample sessions into a temporary folder, start the real server as an "
        "editor would, and complete, check, correct, hover, preview and send a prompt. Your own "
        "sessions are not touched, and nothing is left behind.",
    )
    parser.add_argument(
        "--keep",
        type=folder,
        metavar="FOLDER",
        help="show nothing, but write the sample sessions, their project and a prompt into a new "
        "folder, for you to play with",
    )
    parser.add_argument("--debug", action="store_true", help="show tracebacks of faults")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the demo, or only write its samples."""
    if options.keep is not None:
        return _keep(Path(options.keep))
    from dsh_lsp.demo import show

    return show()


def _keep(root: Path) -> int:
    from dsh_lsp.demo.keep import NotEmptyError, keep

    try:
        sys.stdout.write(keep(root))
    except NotEmptyError as error:
        raise UserError(one_line(str(error))) from None
    except OSError as error:
        raise UserError(one_line(f"cannot write into {root}: {error.strerror}")) from None
    return ExitStatus.FINE
