"""`dsh-lsp status`: where sessions are read from and where prompts go."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from dsh_lsp import __version__
from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.core.display import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dsh_lsp.harness.port import Harness, OutboxView
    from dsh_lsp.sessions.query import Listing
    from dsh_lsp.settings import Settings

_FAULTS_SHOWN = 10


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "status",
        help="show store, harness and versions",
        description="Show where sessions are read from, what could not be read there, and where "
        "prompts go.",
        epilog="exit status: 0 the store could be listed, 1 it could not, 2 wrong usage",
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the status."""
    import anyio

    return anyio.run(_show, settings_of(options))


async def _show(settings: Settings) -> ExitStatus:
    from dsh_lsp.cli.scene import services_of
    from dsh_lsp.core.failures import ReadFailedError

    services = services_of(settings)
    try:
        lines = [("version", f"dsh-lsp {__version__}, Python {sys.version.split()[0]}")]
        lines.append(("store", one_line(services.store)))
        status = ExitStatus.FINE
        try:
            lines += _listed(await services.query.list_sessions())
        except ReadFailedError as error:
            lines.append(("sessions", one_line(error.message)))
            status = ExitStatus.PROBLEMS
        lines.append(("mode", settings.harness.mode))
        lines.append(("harness", await _described(services.harness)))
        lines += _kept(await services.delivery.view())
    finally:
        await services.aclose()
    for name, value in lines:
        sys.stdout.write(f"{name:<12}{value}\n")
    return status


def _listed(listing: Listing) -> Iterator[tuple[str, str]]:
    formats = Counter(entry.header.format_version for entry in listing.sessions)
    by_format = ", ".join(f"{formats[key]:,} of format {key}" for key in sorted(formats))
    yield "sessions", f"{len(listing.sessions):,}" + (f" ({by_format})" if by_format else "")
    for fault in listing.faults[:_FAULTS_SHOWN]:
        yield "unreadable", one_line(f"{fault.place}: {fault.message}")
    if len(listing.faults) > _FAULTS_SHOWN:
        yield "", f"and {len(listing.faults) - _FAULTS_SHOWN:,} more"


def _kept(view: OutboxView) -> Iterator[tuple[str, str]]:
    if view.items:
        yield "outbox", f"{len(view.items):,} (dsh-lsp outbox tells what became of each)"
    for fault in view.faults[:_FAULTS_SHOWN]:
        yield "unreadable", f"{fault.place}: {fault.message}"


async def _described(harness: Harness) -> str:
    from dsh_lsp.harness.port import HarnessError

    try:
        description = await harness.describe()
    except HarnessError as error:
        return one_line(str(error))
    return one_line(f"{description.name} {description.version}")
