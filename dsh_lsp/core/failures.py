"""The errors of session references, with the harness's stable codes."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar


class Code(StrEnum):
    """Stable codes, used in diagnostics, exit messages and command results."""

    INVALID_CONFIG = "SESSION_REFERENCE_INVALID_CONFIG"
    INVALID_REFERENCE = "SESSION_REFERENCE_INVALID_REFERENCE"
    SELF_REFERENCE = "SESSION_REFERENCE_SELF_REFERENCE"
    TOO_MANY = "SESSION_REFERENCE_TOO_MANY"
    READ_FAILED = "SESSION_REFERENCE_READ_FAILED"
    BUDGET_EXCEEDED = "SESSION_REFERENCE_BUDGET_EXCEEDED"
    CANCELLED = "SESSION_REFERENCE_CANCELLED"


class SessionReferenceError(Exception):
    """Why a reference cannot be used. The message is for people: it names the fault and the fix.

    Two that say the same are equal, so that a reading or a check that found the same again is.
    """

    code: ClassVar[Code]

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), self.message))


class InvalidConfigError(SessionReferenceError):
    """A limit is out of its range."""

    code = Code.INVALID_CONFIG


class InvalidReferenceError(SessionReferenceError):
    """A URI, mention, reference or candidate limit is malformed.

    `meant` is the canonical URI that a malformed one plainly stands for.
    """

    code = Code.INVALID_REFERENCE

    def __init__(self, message: str, meant: str | None = None) -> None:
        super().__init__(message)
        self.meant = meant


class SelfReferenceError(SessionReferenceError):
    """A prompt mentions the session that it goes to."""

    code = Code.SELF_REFERENCE


class TooManyReferencesError(SessionReferenceError):
    """A prompt mentions more distinct sessions than the limit."""

    code = Code.TOO_MANY


class ReadFailedError(SessionReferenceError):
    """A session could not be read. `reason` says which way, for messages and quick fixes."""

    code = Code.READ_FAILED

    def __init__(self, message: str, reason: ReadFault) -> None:
        super().__init__(message)
        self.reason = reason


class ReadFault(StrEnum):
    """The ways in which reading a session fails."""

    NOT_FOUND = "not-found"
    CORRUPT = "corrupt"
    NEWER_FORMAT = "newer-format"
    OLD_FORMAT = "old-format"  # formats 1 and 2: listed, but only a harness can read their surface
    UNKNOWN_EVENT = "unknown-event"
    NO_PERMISSION = "no-permission"
    MISPLACED = "misplaced"  # readable here, but a harness refuses where the log lies
    TOO_LARGE = "too-large"
    UNREADABLE = "unreadable"  # any other failure of the operating system or the host


class BudgetExceededError(SessionReferenceError):
    """The fixed fields of a snapshot cannot fit its byte budget."""

    code = Code.BUDGET_EXCEEDED


class CancelledError(SessionReferenceError):
    """The request was cancelled; nothing partial exists."""

    code = Code.CANCELLED
