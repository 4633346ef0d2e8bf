"""Finding sessions for `dsh-lsp sessions`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from dsh_lsp.cli.failures import UserError
from dsh_lsp.cli.scene import services_of
from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFault, SessionReferenceError
from dsh_lsp.core.prepare import Limits
from dsh_lsp.harness.port import Harness
from dsh_lsp.server.services import Services
from dsh_lsp.sessions.query import Listing, ListingFault, SessionQuery
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from dsh_lsp.settings import Settings

_ASKED_AT_ONCE = 8

_ALL = 1_000_000


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
    resolver = SessionReferenceResolver(services.query, limits=Limits())
    limit = _ALL if wish.targets else wish.limit
    sessions: Sequence[Candidate] = await resolver.list_candidates(wish.target, wish.query, limit)
    if wish.targets:
        sessions = await _targets(services.harness, sessions, wish.limit)
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


async def _targets(
    harness: Harness, sessions: Sequence[Candidate], limit: int
) -> Sequence[Candidate]:
    """The first sessions that the harness knows. Raises `HarnessError`."""
    await harness.describe()  # one clear error when there is none
    known: list[Candidate] = []
    for start in range(0, len(sessions), _ASKED_AT_ONCE):
        part = sessions[start : start + _ASKED_AT_ONCE]
        answers: dict[str, bool] = {}

        async def ask(session_id: str, answers: dict[str, bool] = answers) -> None:
            answers[session_id] = await harness.has_session(session_id)

        async with anyio.create_task_group() as tasks:
            for each in part:
                tasks.start_soon(ask, each.session_id)
        known += [each for each in part if answers[each.session_id]]
        if len(known) >= limit:
            break
    return known[:limit]


async def _unreadable(query: SessionQuery, sessions: Sequence[Candidate]) -> frozenset[str]:
    """Sessions whose log cannot be read even for its title."""
    untitled = [each.session_id for each in sessions if each.title is None and each.label is None]
    if not untitled:
        return frozenset()
    return frozenset(untitled) - (await query.read_titles(untitled)).keys()
