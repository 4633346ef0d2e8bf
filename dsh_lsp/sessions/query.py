"""The protocol by which everything else reads sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from dsh_lsp.core.failures import ReadFault
from dsh_lsp.core.log.events import SessionHeader

if TYPE_CHECKING:
    from dsh_lsp.core.log.surface import Surface


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One listed session. `revision` changes whenever its content may have changed."""

    header: SessionHeader
    revision: str
    origin: str  # where it was read from, for people: a path or a host


@dataclass(frozen=True, slots=True)
class ListingFault:
    """Something in a store that is not a readable session, and what to do about it."""

    place: str
    reason: ReadFault
    message: str


@dataclass(frozen=True, slots=True)
class Listing:
    """All sessions in listing order (newest first, then id), and what could not be listed."""

    sessions: tuple[SessionEntry, ...]
    faults: tuple[ListingFault, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionTitle:
    """Names of a session: its latest folded title, and the label a subagent was created with."""

    title: str | None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class KnownTitles:
    """Titles as far as they are known at a moment; `complete` when nothing was left unread."""

    titles: Mapping[str, SessionTitle]
    complete: bool


@runtime_checkable
class TitlesAtHand(Protocol):
    """A source that can tell titles without reading logs, so that a keystroke never waits."""

    async def known_titles(self, session_ids: Sequence[str]) -> KnownTitles:
        """The titles that are known already; reading others has to be asked for elsewhere.

        Asked again with the same tuple, a source gives the same mapping while nothing changed.
        """
        ...


class SessionQuery(Protocol):
    """Reads sessions. Every call may be cancelled and settles at once when it is."""

    async def list_sessions(self) -> Listing:
        """All sessions; reads headers only. A broken log costs only itself."""
        ...

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        """Titles folded from the logs. A session whose title cannot be read is left out."""
        ...

    async def read_surface(self, session_id: str) -> Surface:
        """One consistent observation. Raises `ReadFailedError` with its reason."""
        ...
