"""The reference service: candidates and preparation over any `SessionQuery`."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from dsh_lsp.core.candidates import DEFAULT_LIMIT, Candidate, check_limit
from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import (
    CancelledError,
    InvalidConfigError,
    InvalidReferenceError,
    ReadFailedError,
    ReadFault,
    SessionReferenceError,
)
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.mentions import Reference
from dsh_lsp.sessions.cancellation import AbandonableCalls
from dsh_lsp.sessions.catalogue import Candidates, Catalogue, candidate_of
from dsh_lsp.sessions.grouped import Grouped, Wanted
from dsh_lsp.sessions.query import KnownTitles, TitlesAtHand

if TYPE_CHECKING:
    from dsh_lsp.core.log.surface import Surface
    from dsh_lsp.core.prepare import Prepared
    from dsh_lsp.sessions.query import SessionQuery

_LONGEST_REASON = 200  # characters of a backend's own words

PATIENCE = 0.2
"""Seconds that the first list waits for the titles of its rows."""

FIRST_PATIENCE = 1.0
"""Seconds from the first query on in which queries without a match wait for the last titles."""

MAKING_PATIENCE = 0.02
"""Seconds that a query waits for candidates to be made of titles that all came in just now."""

LAST_TITLES = 500
"""So many unread logs are read in this time; of more there is no use to wait for."""

_NOTHING = KnownTitles({}, complete=True)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked candidates; `incomplete` while logs that could hold another match are unread.

    `unread` is how many these are at most.
    """

    candidates: tuple[Candidate, ...]
    incomplete: bool
    unread: int = 0


TitlesOf = Callable[[tuple[str, ...], "anyio.Event | None"], Awaitable[KnownTitles]]
"""One of the ways to titles: read all, or take what is known."""


@dataclass(frozen=True, slots=True)
class Target:
    """The session that a prompt goes to; both are None while none has been chosen.

    Without an id, `cwd` is the workspace folder, which stands for the target's cwd.
    """

    session_id: str | None
    cwd: str | None


class SessionReferenceResolver:
    """Finds candidates and prepares messages; all or nothing, and cancellable at any moment.

    Cancelling the surrounding scope or task settles a call at once, whatever the backend does.
    A caller with a signal of its own passes `cancel`; setting it raises `CancelledError`.
    """

    def __init__(
        self, query: SessionQuery, *, limits: Limits, candidate_limit: int = DEFAULT_LIMIT
    ) -> None:
        """Raises `InvalidConfigError` for a candidate limit below 1."""
        try:
            self._candidate_limit = check_limit(candidate_limit)
        except InvalidReferenceError as error:
            raise InvalidConfigError(error.message) from None
        self._query = query
        self._limits = limits
        self._calls = AbandonableCalls()
        self._catalogue = Catalogue()
        self._grouped = Grouped(())
        self._patient_until: float | None = None

    async def list_candidates(
        self,
        target: Target,
        query: str = "",
        limit: int | None = None,
        *,
        cancel: anyio.Event | None = None,
    ) -> tuple[Candidate, ...]:
        """Sessions that a mention could name, ranked; at most `limit`, else the service's own.

        Raises `InvalidReferenceError` for a limit below 1 and `ReadFailedError` when the sessions
        cannot be listed.
        """
        found = await self._find(target, query, limit, cancel, self._titles)
        return found.candidates

    async def candidates_at_hand(
        self, target: Target, query: str = "", limit: int | None = None
    ) -> Found:
        """Like `list_candidates`, from what is known already: no keystroke waits for logs.

        Only the rows of an empty query wait `PATIENCE` for their titles, and at the very beginning,
        when few logs are all that is missing, those of any query do. Raises the same errors.
        """
        if query:
            found = await self._find(
                target, query, limit, None, self._known_titles, MAKING_PATIENCE
            )
            if not found.incomplete or found.unread > LAST_TITLES:
                return found
            with anyio.CancelScope(deadline=self._end_of_patience()):
                return await self._find(target, query, limit, None, self._titles)
            return found
        found = await self._find(target, query, limit, None, self._titles_soon)
        self._calls.begin("candidates", partial(self._get_ready, target))
        return found

    def _end_of_patience(self) -> float:
        """In the clock of the event loop."""
        if self._patient_until is None:
            self._patient_until = anyio.current_time() + FIRST_PATIENCE
        return self._patient_until

    async def _get_ready(self, target: Target) -> None:
        """Make the candidates that the next character will be looked for in."""
        sessions = self._grouped
        titles = await self._known_titles(sessions.ids(target.session_id), None)
        make = partial(self._catalogue.make, sessions, titles.titles)
        await anyio.to_thread.run_sync(make, abandon_on_cancel=True)

    async def _find(
        self,
        target: Target,
        query: str,
        limit: int | None,
        cancel: anyio.Event | None,
        titles_of: TitlesOf,
        patience: float = math.inf,
    ) -> Found:
        count = self._candidate_limit if limit is None else check_limit(limit)
        listing = await self._read("the list of sessions", self._query.list_sessions, cancel)
        sessions = self._grouped
        if sessions.entries is not listing.sessions:
            sessions = self._grouped = Grouped(listing.sessions)
        wanted = Wanted(query, count, target.session_id, target.cwd)
        if not query:
            kept = sessions.nearest(wanted)
            titles = await titles_of(tuple(each.header.id for each in kept), cancel)
            rows = (candidate_of(each, titles.titles.get(each.header.id)) for each in kept)
            return Found(tuple(rows), not titles.complete)
        ids = sessions.ids(target.session_id)
        titles = await titles_of(ids, cancel)
        made = await self._made(sessions, titles, cancel, patience)
        unread = 0 if titles.complete else len(ids) - len(titles.titles)
        is_latest = titles.complete and made.titles is titles.titles
        return Found(made.find(wanted), not is_latest, unread)

    async def _made(
        self,
        sessions: Grouped,
        titles: KnownTitles,
        cancel: anyio.Event | None,
        patience: float,
    ) -> Candidates:
        """The candidates of a listing; perhaps without the latest titles.

        That is so while titles still come in, and when making the last ones takes too long.
        """
        last = self._catalogue.last
        if sessions is last.sessions and titles.titles is last.titles:
            return last
        # In a thread, since thousands of new candidates would hold up everything else.
        make = partial(self._catalogue.make, sessions, titles.titles)
        call = partial(anyio.to_thread.run_sync, make, abandon_on_cancel=True)
        if sessions is not last.sessions:
            return await self._calls.settle(call, cancel)
        if titles.complete:
            with anyio.move_on_after(patience):
                return await self._calls.settle(call, cancel)
        else:
            self._calls.begin("candidates", call)
        return last

    async def prepare(
        self,
        target: Target,
        text: str,
        references: Sequence[Reference],
        *,
        limits: Limits | None = None,
        cancel: anyio.Event | None = None,
    ) -> Prepared:
        """Read every source once, in parallel, and prepare the whole message or raise.

        `text` is readable text; `limits` replace the service's own for this call. Raises the
        `SessionReferenceError` of the first fault.
        """
        from dsh_lsp.core.prepare import accept, prepare

        bounds = limits or self._limits
        accepted = accept(
            references, target_id=target.session_id, max_references=bounds.max_references
        )
        surfaces = await self._surfaces(accepted, cancel)
        # In a thread, since fitting a long conversation would hold up everything else.
        work = partial(prepare, text, accepted, surfaces, bounds)
        return await self._calls.settle(
            partial(anyio.to_thread.run_sync, work, abandon_on_cancel=True), cancel
        )

    async def _surfaces(
        self, references: Sequence[Reference], cancel: anyio.Event | None
    ) -> Mapping[str, Surface]:
        surfaces: dict[str, Surface] = {}
        failures: list[SessionReferenceError] = []

        async def read(session_id: str) -> None:
            try:
                surfaces[session_id] = await self._read(
                    f"session {one_line(session_id)}",
                    partial(self._query.read_surface, session_id),
                    cancel,
                )
            except SessionReferenceError as error:
                failures.append(error)
                group.cancel_scope.cancel()  # one failure fails all, so the others may stop

        async with anyio.create_task_group() as group:
            for reference in references:
                group.start_soon(read, reference.session_id)
        if failures:
            raise failures[0]
        return surfaces

    async def _titles(self, ids: tuple[str, ...], cancel: anyio.Event | None) -> KnownTitles:
        """Titles as far as they can be read: without one, an id is shown instead."""
        if not ids:
            return _NOTHING
        try:
            found = await self._read("titles", partial(self._query.read_titles, ids), cancel)
        except ReadFailedError:
            return _NOTHING
        return KnownTitles(found, complete=True)

    async def _known_titles(self, ids: tuple[str, ...], cancel: anyio.Event | None) -> KnownTitles:
        if not isinstance(self._query, TitlesAtHand):
            return await self._titles(ids, cancel)
        try:
            return await self._read("titles", partial(self._query.known_titles, ids), cancel)
        except ReadFailedError:
            return _NOTHING

    async def _titles_soon(self, ids: tuple[str, ...], cancel: anyio.Event | None) -> KnownTitles:
        with anyio.move_on_after(PATIENCE):
            return await self._titles(ids, cancel)
        return await self._known_titles(ids, cancel)

    async def _read(
        self, what: str, call: Callable[[], Awaitable[T]], cancel: anyio.Event | None
    ) -> T:
        """A backend's answer; whatever it raises of its own becomes a `ReadFailedError`."""
        try:
            return await self._calls.settle(call, cancel)
        except (ReadFailedError, CancelledError):
            raise
        except Exception as error:
            reason = one_line(str(error))[:_LONGEST_REASON] or type(error).__name__
            raise ReadFailedError(
                f"{what} could not be read: {reason}", ReadFault.UNREADABLE
            ) from error
