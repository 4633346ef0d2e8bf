"""`dsh-lsp serve`: the language server."""

from __future__ import annotations

import argparse
import importlib.util
import os
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import UserError
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, section_of

if TYPE_CHECKING:
    from dsh_lsp.harness.wire.launcher import Launcher
    from dsh_lsp.server.services import Services
    from dsh_lsp.settings import Settings

EXAMPLES = """\
examples:
  dsh-lsp serve                          over standard input and output, as editors start it
  dsh-lsp serve --tcp 127.0.0.1:7998     for a debugger
  dsh-lsp serve --set harness.mode=embedded
"""

LOOPBACK = ("localhost", "127.0.0.1", "::1")

_LAST_PORT = 65535


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "serve",
        help="run the language server",
        description="Run the language server. Settings given here are defaults: an editor's own "
        "settings are laid over them, key by key.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    wire = parser.add_mutually_exclusive_group()
    wire.add_argument(
        "--stdio", action="store_true", help="standard input and output (the default)"
    )
    wire.add_argument(
        "--tcp", type=_address, metavar="HOST:PORT", help="listen on TCP, for debugging"
    )
    wire.add_argument(
        "--ws",
        type=_address,
        metavar="HOST:PORT",
        help="listen on a WebSocket, for debugging (needs dsh-lsp[websocket])",
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until the client or the user ends it."""
    from dsh_lsp.server import run as server

    defaults = section_of(options)
    if options.ws and importlib.util.find_spec("websockets") is None:
        raise UserError('--ws needs another package: pip install "dsh-lsp[websocket]"')
    connect = _Connect()
    try:
        if options.tcp:
            host, port = options.tcp
            return server.serve_tcp(connect, host, port, defaults)
        if options.ws:
            host, port = options.ws
            return server.serve_ws(connect, host, port, defaults)
    except OSError as error:
        raise UserError(f"cannot listen there: {error.strerror or error}") from None
    return server.serve_stdio(connect, defaults)


def _address(text: str) -> tuple[str, int]:
    """A host and a port; only this machine, since a client may read every session."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or int(port[:6]) > _LAST_PORT:
        raise argparse.ArgumentTypeError("expects HOST:PORT, such as 127.0.0.1:7998")
    if host not in LOOPBACK:
        raise argparse.ArgumentTypeError(
            f"a client may read all your sessions, so HOST must be one of {', '.join(LOOPBACK)}; "
            "use an SSH tunnel to reach it from elsewhere"
        )
    return host, int(port)


class _Connect:
    """Connects again whenever settings change; a harness that was started goes on meanwhile."""

    def __init__(self) -> None:
        self._launcher: Launcher | None = None

    def __call__(self, settings: Settings) -> Services:
        # An editor need not wait for these imports to get its first answer.
        from dsh_lsp.app import connect, new_launcher

        self._launcher = self._launcher or new_launcher()
        return connect(settings, os.environ, self._launcher)
