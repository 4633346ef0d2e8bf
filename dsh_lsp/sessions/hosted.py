"""What a host tells of its sessions, whatever wire it speaks (docs/harness.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dsh_lsp.core.log.events import Event


@dataclass(frozen=True, slots=True)
class HostRow:
    """One session in a host's list. `updated_at` is its latest prompt, in Unix milliseconds.

    `attached` is None where the host does not tell whether it holds the session open, and
    `waiting` (prompts in its queues) where it does not tell that. Facts of a session that is not
    attached come from the host's cache and may lag behind its log.
    """

    session_id: str
    updated_at: int
    running: bool
    cwd: str | None = None
    parent_session: str | None = None
    origin: str | None = None  # "subagent", or None
    title: str | None = None
    label: str | None = None  # the label that a subagent was created with
    context_window: int | None = None  # tokens
    last_seq: int | None = None
    attached: bool | None = None
    waiting: int | None = None

    @property
    def revision(self) -> str:
        """Changes when the session may have changed."""
        return f"{self.updated_at}:{self.last_seq}:{self.running}"


@dataclass(frozen=True, slots=True)
class HostRows:
    """All sessions of a host. `log_format` is the format in which it presents their logs."""

    place: str  # for people
    log_format: int
    rows: tuple[HostRow, ...]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A stretch of a log without gaps, as records of the host's format; `more` lie before it."""

    records: tuple[Event, ...]
    more: bool


class HostLogs(Protocol):
    """Reads the sessions of a host without opening them. Both raise `ReadFailedError`."""

    async def session_rows(self) -> HostRows:
        """Every session that the host lists."""
        ...

    async def history(self, session_id: str, through: int | None, messages: int) -> HistoryPage:
        """The page that ends with record `through`, or with the last one; about `messages` long."""
        ...
