"""What the rest of dsh-lsp asks of a harness, whatever wire it speaks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
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
    """One prompt on its way. `text` carries raw mentions where the harness resolves them."""

    request_id: str
    session_id: str
    text: str
    mode: Mode
    time_zone: str | None = None  # IANA name


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact of a source that was recorded otherwise than it was predicted."""

    session_id: str
    fact: str
    predicted: Any
    recorded: Any


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where an accepted prompt is. `message_seq` is its sequence number in the target's log.

    `references` are the entries that the recorded snapshot's source holds. `differences` are known
    to a `Delivery` alone, since it knows what was predicted.
    """

    state: ReceiptState
    place: int | None = None
    reason: str | None = None
    message_seq: int | None = None
    references: tuple[Mapping[str, Any], ...] = ()
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Description:
    """What a harness says of itself. `max_reference_bytes` is None when it does not tell."""

    name: str
    version: str
    max_reference_bytes: int | None = None


class HarnessError(Exception):
    """A harness refused or could not do something. The message names the fix."""


class NoHarnessError(HarnessError):
    """There is no harness to send to. What to do about it is for each front end to say."""


class LoginError(HarnessError):
    """A harness answers, and lets us in after a login only. How is for each front end to say."""


class UnknownSessionError(HarnessError):
    """The target is not a session of this harness."""


class UnknownRequestError(HarnessError):
    """The session was looked at, and holds no trace of a prompt with this request id."""


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

    async def resolves_references(self) -> bool | None:
        """Whether mentions are resolved here; None when that cannot be told now."""
        ...

    async def send(self, outgoing: Outgoing) -> None:
        """Return when the prompt has been accepted; raise `HarnessError` when it has not."""
        ...

    async def receipt(self, session_id: str, request_id: str) -> Receipt:
        """What has become of an accepted prompt so far.

        Raises `UnknownRequestError` when the session does not know it.
        """
        ...


NO_SESSION_YET = ""
"""Stands for the id of a session that will be made when a prompt is sent."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A prompt to be sent once. `references` are predicted entries of the recorded snapshot.

    `document` names where it was written, for people and to know a second try by.
    """

    outgoing: Outgoing
    references: tuple[Mapping[str, Any], ...] = ()
    document: str | None = None


class Standing(StrEnum):
    """Where a prompt of the outbox stands."""

    KEPT = "kept"  # its user has put it there, and it has not been sent yet
    SENDING = "sending"  # somebody is sending it, or it may still be on its way
    UNKNOWN = "unknown"  # nobody can tell whether it was accepted
    MISSING = "missing"  # the target was looked at and does not have it
    QUEUED = "queued"
    WAITING = "waiting"  # accepted, and not recorded yet
    CAPTURED = "captured"  # recorded, and no longer in the outbox
    ENDED = "ended"  # its turn ended before it was recorded


@dataclass(frozen=True, slots=True)
class Pending:
    """A prompt of the outbox and where it stands. `created_at` is in Unix milliseconds."""

    outgoing: Outgoing
    document: str | None
    created_at: int
    standing: Standing
    receipt: Receipt | None = None
    reason: str | None = None

    @property
    def may_be_sent_again(self) -> bool:
        """Whether sending it, for the first time or again, cannot double it."""
        return self.standing in (Standing.KEPT, Standing.MISSING, Standing.ENDED)

    def in_words(self) -> str:
        """Where it stands, as the end of a sentence."""
        because = f": {self.reason}" if self.reason else ""
        receipt = self.receipt or Receipt(ReceiptState.WAITING)
        match self.standing:
            case Standing.KEPT:
                return "it is kept, not sent yet"
            case Standing.SENDING:
                return f"it is being sent{because}"
            case Standing.UNKNOWN:
                return f"it is not known whether the harness has it{because}"
            case Standing.MISSING:
                return "its session does not have it, so it can be sent again"
            case Standing.QUEUED:
                return f"it waits at place {receipt.place} in the queue of its session{because}"
            case Standing.WAITING:
                return f"the harness has accepted it, and it is not in the log yet{because}"
            case Standing.CAPTURED:
                return f"it is in the log of its session as record {receipt.message_seq}"
            case Standing.ENDED:
                return f"its turn ended before it was recorded{because}; it can be sent again"


@dataclass(frozen=True, slots=True)
class OutboxFault:
    """Something in the outbox that is no readable prompt. It is left as it is."""

    place: str
    message: str


@dataclass(frozen=True, slots=True)
class OutboxView:
    """What the outbox holds, the oldest first."""

    items: tuple[Pending, ...] = ()
    faults: tuple[OutboxFault, ...] = ()


class NotAgainError(HarnessError):
    """A prompt of the outbox is not sent now; the message says why."""


class Delivery(Protocol):
    """Sends prompts at most once, and keeps each until it is known what became of it."""

    async def send(self, letter: Letter, accepted: Callable[[], Awaitable[None]]) -> Receipt:
        """Send, call `accepted`, and tell what a short wait shows of the prompt.

        Raises `OutcomeUnknownError` when it may have been accepted: it stays in the outbox then.
        Raises another `HarnessError` when nothing was accepted.
        """
        ...

    async def keep(self, letter: Letter) -> None:
        """Put a prompt into the outbox; only `resend` sends it. Raises `HarnessError`."""
        ...

    async def twin(self, letter: Letter) -> Pending | None:
        """An equal prompt that is kept or was sent, if sending this one now could double it."""
        ...

    async def view(self) -> OutboxView:
        """The outbox as it was last known; no harness is asked."""
        ...

    async def look(self) -> OutboxView:
        """The outbox after looking for each prompt in its target; it may have lost some by that."""
        ...

    async def resend(self, request_id: str) -> Receipt:
        """Send what was kept, or look once more and send again what is not there.

        Raises like `send`, and `NotAgainError` when it could be doubled or lose its mentions. What
        the harness refuses, or ends before it is recorded, stays in the outbox.
        """
        ...

    async def discard(self, request_id: str) -> None:
        """Forget a prompt. What the harness has of it stays there. Raises `HarnessError`."""
        ...

    def news(self) -> AsyncIterator[tuple[Pending, ...]]:
        """Looks after the outbox for as long as it is read; tells what its user should know."""
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
