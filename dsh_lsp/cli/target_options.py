"""The options that say where a prompt goes and where its paths begin."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dsh_lsp.server.target import Choice


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """`--target` and `--cwd`."""
    parser.add_argument(
        "--target",
        type=_target,
        metavar="SESSION",
        help="the session that the prompt goes to: an id, a dsh-session: URI or new "
        "(default: the front matter, else the setting target.session)",
    )
    add_cwd_option(parser)


def add_cwd_option(parser: argparse.ArgumentParser) -> None:
    """`--cwd`."""
    parser.add_argument(
        "--cwd",
        type=os.path.abspath,
        default=str(Path.cwd()),
        metavar="FOLDER",
        help="stands for the target's directory where it has none (default: the current folder)",
    )


def _target(text: str) -> Choice:
    from dsh_lsp.core.failures import InvalidReferenceError
    from dsh_lsp.server.target import read_choice

    try:
        return read_choice(text)
    except InvalidReferenceError as fault:
        raise argparse.ArgumentTypeError(fault.message) from None
