"""A harness behind HTTP, whichever wire it speaks (docs/harness.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.harness.port import (
    Description,
    FoundFile,
    HostCandidate,
    OutcomeUnknownError,
    Outgoing,
    Receipt,
    ReceiptState,
    UnknownRequestError,
    UnknownSessionError,
)
from dsh_lsp.harness.wire.connection import Connection
from dsh_lsp.harness.wire.errors import (
    ColdSessionError,
    HostError,
    LostAnswerError,
    RefusedError,
    UnreachableError,
)
from dsh_lsp.harness.wire.history import locate, read_page
from dsh_lsp.harness.wire.slash import refuse_command
from dsh_lsp.harness.wire.whereabouts import Stage, Whereabouts
from dsh_lsp.harness.wire.wire import Wire
from dsh_lsp.sessions.hosted import HistoryPage, HostRow, HostRows

T = TypeVar("T")

_DIED = "the host ended when it had taken the prompt up, and before it recorded it"

_WAITS_FOR_ANOTHER = (
    "nothing runs in this session: the prompt waits, and will run before the next one that is sent"
)


class HostHarness:
    """A `Harness`, and the sessions of its host as `HostLogs`.

    What a user asks for waits until a host has been found or not. What only helps (descriptions,
    sessions, candidates, files) never waits long for a host that does not answer.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._opened: tuple[Wire | None, set[str]] = (None, set())

    async def describe(self) -> Description:
        """Where the host is and what it runs. Raises `HarnessError`."""
        try:
            wire = await self._connection.wire_soon()
        except LostAnswerError as error:  # nothing that it could have kept was on its way
            raise UnreachableError(str(error)) from error
        return Description(f"dsh web at {wire.address.url}", wire.version)

    async def create_session(self, cwd: str | None) -> str:
        """Create a session and return its id. `cwd` is absolute. Raises `HarnessError`."""
        wire = await self._connection.wire()
        session_id = await self._connection.use(wire, lambda it: it.create(cwd))
        self._note_opened(wire, session_id)
        return session_id

    async def has_session(self, session_id: str) -> bool:
        """Whether the host knows a session, which is not opened. Raises `HarnessError`."""
        try:
            await self._ask(lambda wire: wire.page(session_id, None, 1))
        except UnknownSessionError:
            return False
        return True

    async def send(self, outgoing: Outgoing) -> None:
        """Return when the host has accepted the prompt.

        Raises `OutcomeUnknownError` when it may have been accepted all the same, and another
        `HarnessError` when it has not.
        """
        refuse_command(outgoing.text)
        wire = await self._connection.wire()
        try:
            await self._connection.use(wire, lambda it: it.prompt(outgoing))
        except HostError as error:
            if error.may_be_kept:
                raise OutcomeUnknownError(f"{error}. The prompt may have been accepted") from error
            raise
        self._note_opened(wire, outgoing.session_id)

    async def receipt(self, session_id: str, request_id: str) -> Receipt:
        """What has become of a prompt; the session is not opened. Raises `HarnessError`."""
        found = await self.find_request(session_id, request_id)
        match found.stage:
            case Stage.RECORDED:
                return Receipt(
                    ReceiptState.CAPTURED,
                    message_seq=found.message_seq,
                    references=found.references,
                )
            case Stage.QUEUED:
                idle = not await self._is_running(session_id)
                reason = _WAITS_FOR_ANOTHER if idle else None
                return Receipt(ReceiptState.QUEUED, place=found.place, reason=reason)
            case Stage.TAKEN:
                return await self._taken(session_id, request_id)
            case Stage.ENDED:
                return Receipt(ReceiptState.ENDED, reason=found.reason)
            case Stage.NOWHERE:
                raise UnknownRequestError(
                    "the session holds no trace of a prompt with this request id"
                )

    async def _taken(self, session_id: str, request_id: str) -> Receipt:
        """What becomes of a prompt that a turn has: one that runs, or that died with its host."""
        if await self._is_running(session_id):
            return Receipt(ReceiptState.WAITING)
        if (await self.find_request(session_id, request_id)).stage is Stage.TAKEN:
            return Receipt(ReceiptState.ENDED, reason=_DIED)
        return await self.receipt(session_id, request_id)  # the turn went on meanwhile

    async def find_request(
        self, session_id: str, request_id: str, *, since: int | None = None
    ) -> Whereabouts:
        """Where a prompt is, by its request id; the session is not opened.

        With `since` (Unix milliseconds) every copy from that time on is counted, else the search
        ends at the newest. Raises `HarnessError`.
        """
        return await self._ask(lambda wire: locate(wire, session_id, request_id, since=since))

    async def candidates(self, session_id: str, query: str) -> Sequence[HostCandidate]:
        """What the host would offer for an open session. Raises `ColdSessionError` for others."""
        wire = await self._attached(session_id)
        return await self._connection.use(wire, lambda it: it.candidates(session_id, query))

    async def files(self, session_id: str, query: str) -> Sequence[FoundFile]:
        """Files below the cwd of an open session. Raises `ColdSessionError` for others."""
        wire = await self._attached(session_id)
        return await self._connection.use(wire, lambda it: it.files(session_id, query))

    async def resolves_references(self) -> bool | None:
        """Whether the host resolves mentions; None when it did not tell. No session is opened."""
        try:
            return await self._ask(lambda wire: wire.resolves_references())
        except HostError:
            return None

    async def rename(self, session_id: str, title: str) -> str:
        """The title as the host has recorded it; this opens the session. Raises `HarnessError`."""
        return await self._ask(lambda wire: wire.rename(session_id, title))

    async def cancel(self, session_id: str) -> None:
        """End a session's running turn, if one runs. Raises `HarnessError`."""
        if await self._is_running(session_id):
            await self._ask(lambda wire: wire.cancel(session_id))

    async def session_rows(self) -> HostRows:
        """Every session that the host lists. Raises `ReadFailedError`."""
        try:
            wire = await self._connection.wire_soon()
            rows = await self._connection.use(wire, lambda it: it.rows())
        except HostError as error:
            raise _unreadable(error) from error
        return HostRows(wire.address.url, wire.log_format, rows)

    async def history(self, session_id: str, through: int | None, messages: int) -> HistoryPage:
        """A page of a session's log; the session is not opened. Raises `ReadFailedError`."""
        try:
            wire = await self._connection.wire_soon()
            return await self._connection.use(
                wire, lambda it: read_page(it, session_id, through, messages)
            )
        except HostError as error:
            raise _unreadable(error) from error

    async def aclose(self) -> None:
        """Let the connection go."""
        await self._connection.aclose()

    async def _ask(self, work: Callable[[Wire], Awaitable[T]]) -> T:
        return await self._connection.use(await self._connection.wire(), work)

    async def _row(self, wire: Wire, session_id: str) -> HostRow | None:
        rows = await self._connection.use(wire, lambda it: it.rows())
        return next((row for row in rows if row.session_id == session_id), None)

    async def _is_running(self, session_id: str) -> bool:
        row = await self._row(await self._connection.wire(), session_id)
        return row is not None and row.running

    async def _attached(self, session_id: str) -> Wire:
        """The host, if it holds the session open already; asking about others would open them."""
        wire = await self._connection.wire_soon()
        row = await self._row(wire, session_id)
        opened = self._opened[0] is wire and session_id in self._opened[1]
        told = row.attached if row is not None else False
        if told if told is not None else (opened or (row is not None and row.running)):
            return wire
        raise ColdSessionError(
            f"session {one_line(session_id)} is not open in the host, and asking would open it"
        )

    def _note_opened(self, wire: Wire, session_id: str) -> None:
        """Older hosts do not tell which sessions are open; those that we opened are."""
        if self._opened[0] is not wire:
            self._opened = (wire, set())
        self._opened[1].add(session_id)


def _unreadable(error: HostError) -> ReadFailedError:
    if isinstance(error, UnknownSessionError):
        return ReadFailedError(str(error), ReadFault.NOT_FOUND)
    if isinstance(error, RefusedError) and error.kind == "internal":
        return ReadFailedError(str(error), ReadFault.CORRUPT)
    return ReadFailedError(str(error), ReadFault.UNREADABLE)
