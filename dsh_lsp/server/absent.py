"""Services that are not there: every use says why, and nothing else breaks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.harness.port import (
    Description,
    FileDetails,
    FoundFile,
    Letter,
    NoHarnessError,
    OutboxView,
    Outgoing,
    Pending,
    Receipt,
)
from dsh_lsp.server.services import Services
from dsh_lsp.sessions.query import Listing, SessionTitle

if TYPE_CHECKING:
    from dsh_lsp.core.log.surface import Surface


def unconnected(reason: str) -> Services:
    """Services for when connecting failed; `reason` is for people."""
    return Services(
        _NoSessions(reason), _NoHarness(reason), _NoDelivery(reason), _NoFiles(), "none"
    )


class _NoSessions:
    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def list_sessions(self) -> Listing:
        return Listing(())

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:  # noqa: ARG002 - the protocol's signature
        return {}

    async def read_surface(self, session_id: str) -> Surface:  # noqa: ARG002
        raise ReadFailedError(self._reason, ReadFault.UNREADABLE)


class _NoHarness:
    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def describe(self) -> Description:
        raise NoHarnessError(self._reason)

    async def create_session(self, cwd: str | None) -> str:  # noqa: ARG002
        raise NoHarnessError(self._reason)

    async def has_session(self, session_id: str) -> bool:  # noqa: ARG002
        return False

    async def resolves_references(self) -> bool | None:
        return None

    async def send(self, outgoing: Outgoing) -> None:  # noqa: ARG002
        raise NoHarnessError(self._reason)

    async def receipt(self, session_id: str, request_id: str) -> Receipt:  # noqa: ARG002
        raise NoHarnessError(self._reason)


class _NoDelivery:
    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def send(self, letter: Letter, accepted: Callable[[], Awaitable[None]]) -> Receipt:  # noqa: ARG002
        raise NoHarnessError(self._reason)

    async def keep(self, letter: Letter) -> None:  # noqa: ARG002
        raise NoHarnessError(self._reason)

    async def twin(self, letter: Letter) -> Pending | None:  # noqa: ARG002
        return None

    async def view(self) -> OutboxView:
        return OutboxView()

    async def look(self) -> OutboxView:
        return OutboxView()

    async def resend(self, request_id: str) -> Receipt:  # noqa: ARG002
        raise NoHarnessError(self._reason)

    async def discard(self, request_id: str) -> None:  # noqa: ARG002
        raise NoHarnessError(self._reason)

    async def news(self) -> AsyncIterator[tuple[Pending, ...]]:
        for nothing in (await self.look()).items:
            yield (nothing,)


class _NoFiles:
    async def find(self, cwd: str, query: str, limit: int) -> Sequence[FoundFile]:  # noqa: ARG002
        return ()

    async def details(self, cwd: str, path: str) -> FileDetails | None:  # noqa: ARG002
        return FileDetails(is_directory=False, size=0)
