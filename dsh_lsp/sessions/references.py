"""The reference service: candidates and preparation over any `SessionQuery`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from dsh_lsp.core.candidates import DEFAULT_LIMIT, Candidate, check_limit, nearest, rank
from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import (
    CancelledError,
    InvalidConfigError,
    InvalidReferenceError,
    ReadFailedError,
    ReadFault,
    SessionReferenceError,
)
from dsh_lsp.core.mentions import Reference
from dsh_lsp.core.prepare import Limits, Prepared, accept, prepare
from dsh_lsp.core.surface import Surface
from dsh_lsp.sessions.cancellation import AbandonableCalls
from dsh_lsp.sessions.catalogue import Catalogue, candidate_of

if TYPE_CHECKING:
    from dsh_lsp.sessions.query import SessionEntry, SessionQuery, SessionTitle

_LONGEST_REASON = 200  # characters of a backend's own words

T = TypeVar("T")


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
        count = self._candidate_limit if limit is None else check_limit(limit)
        listing = await self._read("the list of sessions", self._query.list_sessions, cancel)
        others = [each for each in listing.sessions if each.header.id != target.session_id]
        if not query:
            kept = nearest(others, lambda each: each.header.cwd, cwd=target.cwd, limit=count)
            titles = await self._titles(kept, cancel)
            return tuple(candidate_of(each, titles.get(each.header.id)) for each in kept)
        titles = await self._titles(others, cancel)
        return rank(
            self._catalogue.candidates(others, titles),
            query=query,
            limit=count,
            target_id=target.session_id,
            cwd=target.cwd,
        )

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

    async def _titles(
        self, entries: Sequence[SessionEntry], cancel: anyio.Event | None
    ) -> Mapping[str, SessionTitle]:
        """Titles as far as they can be read: without one, an id is shown instead."""
        if not entries:
            return {}
        ids = [entry.header.id for entry in entries]
        try:
            return await self._read("titles", partial(self._query.read_titles, ids), cancel)
        except ReadFailedError:
            return {}

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
