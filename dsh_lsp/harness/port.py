"""What the rest of dsh-lsp asks of a harness, whatever wire it speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class Mode(StrEnum):
    """How a prompt enters a session: behind the queue, or into the running turn."""

    QUEUE = "queue"
    STEER = "steer"


class ReceiptState(StrEnum):
    """What became of an accepted prompt."""

    CAPTURED = "captured"  # message and snapshot are in the target's log
    QUEUED = "queued"  # waiting at `place` (1 is next)
    ENDED = "ended"  # its turn ended with `reason` before the message was recorded
    WAITING = "waiting"  # accepted, and nothing more is known yet


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One prompt on its way. `text` still carries raw mentions: the harness resolves them."""

    request_id: str
    session_id: str
    text: str
    mode: Mode
    time_zone: str | None = None  # IANA name


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where an accepted prompt is. `message_seq` is its sequence number in the target's log.

    `references` are the entries that the recorded snapshot's source holds.
    """

    state: ReceiptState
    place: int | None = None
    reason: str | None = None
    message_seq: int | None = None
    references: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Description:
    """What a harness says of itself. `max_reference_bytes` is None when it does not tell."""

    name: str
    version: str
    max_reference_bytes: int | None = None


class HarnessError(Exception):
    """A harness refused or could not do something. The message names the fix."""


class NoHarnessError(HarnessError):
    """There is no harness to send to; the message lists the ways out."""


class UnknownSessionError(HarnessError):
    """The target is not a session of this harness."""


class OutcomeUnknownError(HarnessError):
    """The request may or may not have been accepted; never resend on your own."""


class Harness(Protocol):
    """A running harness. Every call has a deadline and may be cancelled."""

    async def describe(self) -> Description:
        """Name, version and limits. Raises `HarnessError` when it cannot be reached."""
        ...

    async def create_session(self, cwd: str | None) -> str:
        """Create a session and return its id. `cwd` is absolute."""
        ...

    async def has_session(self, session_id: str) -> bool:
        """Whether a session can be a target here."""
        ...

    async def send(self, outgoing: Outgoing) -> None:
        """Return when the prompt has been accepted; raise `HarnessError` when it has not."""
        ...

    async def receipt(self, session_id: str, request_id: str) -> Receipt:
        """What has become of an accepted prompt so far."""
        ...


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file or directory below a cwd; `path` is relative with `/` separators."""

    path: str
    is_directory: bool


@dataclass(frozen=True, slots=True)
class FileDetails:
    """What a hover says of a file. `size` is in bytes."""

    is_directory: bool
    size: int


@dataclass(frozen=True, slots=True)
class HostCandidate:
    """A session as a host offers it. `created_at` is in Unix milliseconds."""

    session_id: str
    label: str
    cwd: str | None = None
    created_at: int | None = None


class Files(Protocol):
    """Finds the files that `@path` can name."""

    async def find(self, cwd: str, query: str, limit: int) -> Sequence[FoundFile]:
        """The best matches below `cwd`; ignored and excluded files are left out."""
        ...

    async def details(self, cwd: str, path: str) -> FileDetails | None:
        """Size and kind of what `path` names below `cwd`; None when there is nothing."""
        ...
