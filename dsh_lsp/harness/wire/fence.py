"""Why a host answered without looking at a request, and what cures it."""

from __future__ import annotations

from dsh_lsp.harness.wire.address import HostAddress
from dsh_lsp.harness.wire.errors import FenceError, HostError, LoginNeededError

GREETING = b"dsh web authentication required"
"""What a host that wants a login says to everybody; it tells a host from another program."""


def refused_by_fence(address: HostAddress) -> FenceError:
    """The host does not accept the name that we call it by."""
    return FenceError(
        f"the host at {address.url} refuses to be called {address.authority}. Start it with "
        f"`dsh web --trusted-host {address.hostname}`, or use the address that it prints"
    )


def login_needed(address: HostAddress, *, had_cookie: bool) -> LoginNeededError:
    """The host wants a login."""
    what = "no longer accepts our login" if had_cookie else "wants a login"
    return LoginNeededError(
        f"the host at {address.url} {what}. Give the link that `dsh web` printed "
        "(http://…/?token=…) once to `dsh-lsp login`, or to the command dsh.login"
    )


def refusal_by_status(status: int, address: HostAddress, *, had_cookie: bool) -> HostError | None:
    """The error behind a status that says nothing of the request itself; None for others."""
    if status == 401:
        return login_needed(address, had_cookie=had_cookie)
    if status == 403:
        return refused_by_fence(address)
    return None
