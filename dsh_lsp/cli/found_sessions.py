"""Finding sessions for `dsh-lsp sessions`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsh_lsp.cli.failures import UserError
from dsh_lsp.cli.scene import services_of
from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFault, SessionReferenceError
from dsh_lsp.core.limits import Limits
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
    """

    sessions: Sequence[Candidate]
    unreadable: frozenset[str]
    store: str
    count: int
    faults: tuple[ListingFault, ...]


async def find(wish: Wish, settings: Settings) -> Found:
    """Raises `UserError` for a store that cannot be listed, and `HarnessError`."""
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
        _require_store(listing, services.store)
    source = services.query
    if wish.targets:
        await services.harness.describe()  # without a harness, a prompt can go nowhere
        source = services.targets or source
    resolver = SessionReferenceResolver(source, limits=Limits())
    sessions = await resolver.list_candidates(wish.target, wish.query, wish.limit)
    return Found(
        sessions,
        await _unreadable(services.query, sessions),
        services.store,
        len(listing.sessions),
        tuple(each for each in listing.faults if each.reason is not ReadFault.NOT_FOUND),
    )


def _require_store(listing: Listing, store: str) -> None:
    """Raise `UserError` when it is the store's fault that there are no sessions."""
    for fault in sorted(listing.faults, key=lambda each: each.place != store):
        raise UserError(one_line(f"{fault.place}: {fault.message}"))


async def _unreadable(query: SessionQuery, sessions: Sequence[Candidate]) -> frozenset[str]:
    """Sessions whose log cannot be read even for its title."""
    untitled = [each.session_id for each in sessions if each.title is None and each.label is None]
    if not untitled:
        return frozenset()
    return frozenset(untitled) - (await query.read_titles(untitled)).keys()
