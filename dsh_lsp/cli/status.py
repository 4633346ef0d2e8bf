"""`dsh-lsp status`: where sessions are read from and where prompts go."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dsh_lsp import __version__
from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.core.display import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dsh_lsp.harness.port import Description, Harness, OutboxView
    from dsh_lsp.sessions.query import Listing
    from dsh_lsp.settings import Settings

_FAULTS_SHOWN = 10

_KEPT = "kept"


@dataclass(frozen=True, slots=True)
class _Status:
    """What there is to tell. `stores` are places and how many sessions each has."""

    stores: Mapping[str, int]
    listing: Listing | None
    store_problem: str | None
    mode: str
    harness: Description | None
    harness_problem: str | None
    outbox: OutboxView


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "status",
        help="show store, harness and versions",
        description="Show where sessions are read from, what could not be read there, and where "
        "prompts go.",
        epilog="exit status: 0 the store could be listed, or a harness is at hand that will make "
        "it, 2 it could not, or wrong usage",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the status."""
    import anyio

    status = anyio.run(_look, settings_of(options))
    if options.json:
        sys.stdout.write(json.dumps(_answer(status), indent=2) + "\n")
    else:
        for name, value in _lines(status):
            sys.stdout.write(f"{name:<12}{one_line(value)}\n")
    return ExitStatus.USAGE if status.store_problem else ExitStatus.FINE


async def _look(settings: Settings) -> _Status:
    from dsh_lsp.cli.scene import services_of
    from dsh_lsp.core.failures import ReadFailedError
    from dsh_lsp.server.store_counts import sessions_by_place

    services = services_of(settings)
    listing, problem = None, None
    try:
        try:
            listing = await services.query.list_sessions()
        except ReadFailedError as error:
            problem = error.message
        harness, harness_problem = await _described(services.harness)
        outbox = await services.delivery.view()
    finally:
        await services.aclose()
    store = services.store
    if listing is not None and harness is not None:
        listing = _without_what_comes(listing, store)
    for fault in listing.faults if listing and not listing.sessions else ():
        if fault.place == store:
            problem = fault.message
    stores = {store: 0} if listing is None else sessions_by_place(listing, store)
    mode = settings.harness.mode.value
    return _Status(stores, listing, problem, mode, harness, harness_problem, outbox)


def _without_what_comes(listing: Listing, store: str) -> Listing:
    """A store that is not there yet is no fault while there is a harness to make it."""
    from dsh_lsp.core.failures import ReadFault

    faults = (
        each
        for each in listing.faults
        if each.place != store or each.reason is not ReadFault.NOT_FOUND
    )
    return replace(listing, faults=tuple(faults))


def _lines(status: _Status) -> Iterator[tuple[str, str]]:
    yield "version", f"dsh-lsp {__version__}, Python {sys.version.split()[0]}"
    for place, count in status.stores.items():
        yield "store", f"{place} ({count:,} session{'s' * (count != 1)})"
    if status.listing is None:
        yield "unreadable", status.store_problem or ""
    else:
        yield from _listed(status.listing)
    yield "mode", status.mode
    if status.harness is not None:
        yield "harness", f"{status.harness.name} {status.harness.version}"
    else:
        yield "harness", status.harness_problem or ""
    yield from _outbox(status.outbox)


def _listed(listing: Listing) -> Iterator[tuple[str, str]]:
    formats = Counter(entry.header.format_version for entry in listing.sessions)
    if formats:
        yield "formats", ", ".join(f"{formats[key]:,} of format {key}" for key in sorted(formats))
    for fault in listing.faults[:_FAULTS_SHOWN]:
        yield "unreadable", f"{fault.place}: {fault.message}"
    if len(listing.faults) > _FAULTS_SHOWN:
        yield "", f"and {len(listing.faults) - _FAULTS_SHOWN:,} more"


def _counts(view: OutboxView) -> Mapping[str, int]:
    """Prompts by where they stand; kept ones, which have never been sent, come first."""
    from dsh_lsp.harness.port import Standing

    words = {Standing.KEPT: _KEPT, Standing.ENDED: "ended before it was recorded"}
    counts = Counter(words.get(item.standing, "on its way") for item in view.items)
    return dict(sorted(counts.items(), key=lambda each: each[0] != _KEPT))


def _outbox(view: OutboxView) -> Iterator[tuple[str, str]]:
    if view.items:
        told = ", ".join(f"{count:,} {what}" for what, count in _counts(view).items())
        yield "outbox", f"{told} (dsh-lsp outbox tells what became of each)"
    for fault in view.faults[:_FAULTS_SHOWN]:
        yield "unreadable", f"{fault.place}: {fault.message}"


def _answer(status: _Status) -> dict[str, Any]:
    """The shape of docs/command-line.md."""
    harness = status.harness
    return {
        "version": __version__,
        "stores": [{"place": place, "sessions": count} for place, count in status.stores.items()],
        "storeProblem": status.store_problem,
        "faults": [
            {"place": each.place, "reason": each.reason.value, "message": each.message}
            for each in (status.listing.faults if status.listing else ())
        ],
        "mode": status.mode,
        "harness": harness and {"name": harness.name, "version": harness.version},
        "harnessProblem": status.harness_problem,
        "outbox": len(status.outbox.items),
        "kept": _counts(status.outbox).get(_KEPT, 0),
    }


async def _described(harness: Harness) -> tuple[Description | None, str | None]:
    from dsh_lsp.harness.port import HarnessError

    try:
        return await harness.describe(), None
    except HarnessError as error:
        return None, str(error)
