"""What the two wires have in common: one protocol, and how one version differs from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dsh_lsp.harness.port import FoundFile, HostCandidate, Outgoing
from dsh_lsp.harness.wire.address import HostAddress
from dsh_lsp.sessions.hosted import HistoryPage, HostRow


class Wire(Protocol):
    """A host that answers. Every call has a deadline and raises `HostError`.

    Nothing here protects a session from being opened in the host: `candidates`, `files` and
    `rename` open it.
    """

    address: HostAddress
    version: str  # for people
    log_format: int  # of the records in `page`

    async def check(self) -> None:
        """Return when the host has answered anything."""
        ...

    async def rows(self) -> tuple[HostRow, ...]:
        """Every session that the host lists."""
        ...

    async def create(self, cwd: str | None) -> str:
        """A new session's id."""
        ...

    async def prompt(self, outgoing: Outgoing) -> None:
        """Return when the host has accepted it."""
        ...

    async def page(self, session_id: str, through: int | None, messages: int) -> HistoryPage:
        """The page that ends with record `through`, or with the last one."""
        ...

    async def candidates(self, session_id: str, query: str) -> Sequence[HostCandidate]:
        """The sessions that a prompt to `session_id` may mention."""
        ...

    async def resolves_references(self) -> bool:
        """Whether the host has the service that resolves mentions."""
        ...

    async def files(self, session_id: str, query: str) -> Sequence[FoundFile]:
        """Files below the session's cwd."""
        ...

    async def rename(self, session_id: str, title: str) -> str:
        """The title as the host has recorded it."""
        ...

    async def cancel(self, session_id: str) -> None:
        """End the session's running turn."""
        ...

    async def aclose(self) -> None:
        """Close what is open."""
        ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a version of the newer wire differs. `version` is what people call it."""

    version: str
    log_format: int
    has_projections: bool
