"""Finding sessions for `dsh-lsp sessions`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from dsh_lsp.cli.failures import UserError
from dsh_lsp.cli.scene import services_of
from dsh_lsp.cli.title_progress import with_progress
from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFault, SessionReferenceError
from dsh_lsp.core.limits import Limits
from dsh_lsp.harness.port import HarnessError
from dsh_lsp.server.services import Services
from dsh_lsp.sessions.query import Listing, ListingFault, SessionQuery
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from dsh_lsp.settings import Settings


@dataclass(frozen=True, slots=True)
class Wish:
    """What is looked for. `targets`: only sessions that prompts can go to."""

    query: str
    target: Target
    limit: int
    targets: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The sessions in their order, and the store that they are in.

    `unreadable` are ids of those whose title cannot be read; `count` is how many the store has.
    `without_harness` says why targets are sessions of the store, which no harness has confirmed.
    """

    sessions: Sequence[Candidate]
    unreadable: frozenset[str]
    store: str
    count: int
    faults: tuple[ListingFault, ...]
    without_harness: str | None = None


async def find(wish: Wish, settings: Settings) -> Found:
    """Raises `UserError` for a store that cannot be listed."""
    services = services_of(settings)
    try:
        return await _find(wish, services)
    except SessionReferenceError as error:
        raise UserError(one_line(error.message)) from None
    finally:
        await services.aclose()


async def _find(wish: Wish, services: Services) -> Found:
    listing = await services.query.list_sessions()
    if not listing.sessions:
        await _require_store(listing, services)
    source, without_harness = services.query, None
    if wish.targets:
        without_harness = await _harness_problem(services)
        if without_harness is None:
            source = services.targets or source
    resolver = SessionReferenceResolver(source, limits=Limits())
    look = partial(resolver.list_candidates, wish.target, wish.query, wish.limit)
    if wish.query or wish.limit >= len(listing.sessions):  # every title is read
        ids = [entry.header.id for entry in listing.sessions]
        sessions = await with_progress(look, source, ids, sys.stderr)
    else:
        sessions = await look()
    return Found(
        sessions,
        await _unreadable(services.query, sessions),
        services.store,
        len(listing.sessions),
        tuple(each for each in listing.faults if each.reason is not ReadFault.NOT_FOUND),
        without_harness,
    )


async def _harness_problem(services: Services) -> str | None:
    """Why no harness can tell its sessions; a prompt can be kept for one of the store all the same.

    Any refusal counts, as it does for an editor's picker.
    """
    try:
        await services.harness.describe()
    except HarnessError as fault:
        return str(fault)
    return None


async def _require_store(listing: Listing, services: Services) -> None:
    """Raise `UserError` when it is the store's fault that there are no sessions.

    One that is not there yet is at fault only while there is no harness that would make it.
    """
    for fault in sorted(listing.faults, key=lambda each: each.place != services.store):
        comes = fault.place == services.store and fault.reason is ReadFault.NOT_FOUND
        if not comes or await _harness_problem(services) is not None:
            raise UserError(one_line(f"{fault.place}: {fault.message}"))


async def _unreadable(query: SessionQuery, sessions: Sequence[Candidate]) -> frozenset[str]:
    """Sessions whose log cannot be read even for its title."""
    untitled = [each.session_id for each in sessions if each.title is None and each.label is None]
    if not untitled:
        return frozenset()
    return frozenset(untitled) - (await query.read_titles(untitled)).keys()
