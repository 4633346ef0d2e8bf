"""The reference service: candidates and preparation over any `SessionQuery`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.mentions import Reference
from dsh_lsp.core.prepare import Limits, Prepared

if TYPE_CHECKING:
    from dsh_lsp.sessions.query import SessionQuery


@dataclass(frozen=True, slots=True)
class Target:
    """The session that a prompt goes to; both are None while none has been chosen.

    Without an id, `cwd` is the workspace folder, which stands for the target's cwd.
    """

    session_id: str | None
    cwd: str | None


class SessionReferenceResolver:
    """Finds candidates and prepares messages; all or nothing, and cancellable at any moment."""

    def __init__(self, query: SessionQuery, *, limits: Limits, candidate_limit: int = 50) -> None:
        raise NotImplementedError

    async def list_candidates(
        self, target: Target, query: str = "", limit: int | None = None
    ) -> tuple[Candidate, ...]:
        """Sessions that a mention could name, ranked."""
        raise NotImplementedError

    async def prepare(self, target: Target, text: str, references: Sequence[Reference]) -> Prepared:
        """Read every source once, in parallel, and prepare the whole message or raise."""
        raise NotImplementedError
