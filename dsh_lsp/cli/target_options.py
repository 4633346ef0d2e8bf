"""The options that say where a prompt goes and where its paths begin."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dsh_lsp.cli.folders import folder

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
        type=folder,
        metavar="FOLDER",
        help="where the prompt's paths begin when its target has no directory (default: the "
        "nearest folder above the prompt with a .git, else the prompt's own)",
    )


def _target(text: str) -> Choice:
    from dsh_lsp.core.failures import InvalidReferenceError
    from dsh_lsp.server.target import read_choice

    try:
        return read_choice(text)
    except InvalidReferenceError as fault:
        raise argparse.ArgumentTypeError(fault.message) from None
