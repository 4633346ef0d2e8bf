"""What can go wrong with a host: one tree, which tells what the host may have kept."""

from __future__ import annotations

from typing import ClassVar

from dsh_lsp.harness.port import (
    HarnessError,
    LoginError,
    NoHarnessError,
    UnknownSessionError,
)


class HostError(HarnessError):
    """Something between us and a host failed. `may_be_kept`: the request may have been taken."""

    may_be_kept: ClassVar[bool] = False


class UnreachableError(HostError, NoHarnessError):
    """Nobody listens there, or no connection came about; nothing was sent."""


class NotAHostError(HostError, NoHarnessError):
    """Something answers at the address, and it is no `dsh web`."""


class ForeignAddressError(HostError, NoHarnessError):
    """The address is not on this machine, and no setting names it."""


class LoginNeededError(HostError, LoginError):
    """The host wants a login that we do not have, or that has expired."""


class FenceError(HostError):
    """The host refuses requests that name it as we do, before it looks at anything else."""


class LostAnswerError(HostError):
    """The connection broke, or the time was over, after the request was on its way."""

    may_be_kept = True


class GarbageError(HostError):
    """The host answered with something that its wire does not have."""

    may_be_kept = True


class TooLargeError(GarbageError):
    """The answer is larger than we are willing to read."""


class HostFailedError(HostError):
    """The host itself failed while it worked on the request."""

    may_be_kept = True


class UnknownMethodError(HostError):
    """The host has no such method."""


class ColdSessionError(HostError):
    """The session is not open in the host, so asking would open it and write to its log."""


class CommandLineError(HostError):
    """The prompt is a slash command, which a host would pass to the model as text."""


class RefusedError(HostError):
    """The host refused. `kind` is its code in a form that all its versions share.

    `code` and `words` are the host's own, the words cut to a bounded length.
    """

    def __init__(self, message: str, *, kind: str, code: str, words: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.words = words


class UnclearRefusalError(RefusedError):
    """A refusal behind which the request may have been kept all the same."""

    may_be_kept = True


class NoSuchSessionError(RefusedError, UnknownSessionError):
    """The host does not know the session."""
