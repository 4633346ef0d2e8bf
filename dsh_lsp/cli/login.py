"""`dsh-lsp login`: enter a harness with the link that it printed."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.core.display import one_line

if TYPE_CHECKING:
    from dsh_lsp.settings import Settings

EXAMPLES = """\
examples:
  dsh-lsp login 'http://127.0.0.1:3080/?token=…'    the link as dsh web printed it, quoted
  dsh-lsp login -                                   read it from standard input

exit status: 0 entered, 1 refused or not reached, 2 wrong usage
"""

_LONGEST_LINK = 4096


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "login",
        help="enter a harness with the link that it printed",
        description="Exchange the link that `dsh web` printed for a login, which is kept for about "
        "a month in your state folder, readable by you alone. The link itself is not kept.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "link", metavar="LINK", help="the link; - reads it, so that no history of a shell holds it"
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Enter, and say where."""
    import anyio

    link = sys.stdin.readline(_LONGEST_LINK) if options.link == "-" else options.link
    return anyio.run(_login, link, settings_of(options))


async def _login(link: str, settings: Settings) -> ExitStatus:
    from dsh_lsp.app import host_entrance
    from dsh_lsp.harness.port import HarnessError

    entrance = host_entrance(settings, os.environ)
    try:
        entered = await entrance.login(link)
    except HarnessError as error:
        sys.stderr.write(f"dsh-lsp: {one_line(str(error))}\n")
        return ExitStatus.PROBLEMS
    finally:
        await entrance.aclose()
    sys.stdout.write(f"entered: {one_line(entered.name)}, version {one_line(entered.version)}\n")
    return ExitStatus.FINE
