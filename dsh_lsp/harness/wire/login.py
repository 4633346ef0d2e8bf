"""Logging in: the link that a host printed, exchanged once for a cookie (docs/harness.md)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

from dsh_lsp.harness.wire.address import HostAddress, read_address
from dsh_lsp.harness.wire.cookies import Login
from dsh_lsp.harness.wire.errors import GarbageError, HostError, LoginNeededError, NotAHostError
from dsh_lsp.harness.wire.fence import GREETING, refused_by_fence
from dsh_lsp.harness.wire.http import Bounds, Reply, Transport

EXCHANGE = Bounds(10.0, 1 << 20)

_MAX_TOKEN = 1_000
_LONGEST_LIFE = 400 * 24 * 3600
_COOKIE = re.compile(r"(dsh-auth-[A-Za-z0-9_-]{1,200}=[!#-+\--:<-\[\]-~]{1,4000})(?:;|$)")
_MAX_AGE = re.compile(r";\s*max-age=([0-9]{1,12})\s*(?:;|$)", re.IGNORECASE)


def read_link(link: str) -> tuple[HostAddress, str | None]:
    """The address and the token of a printed link; older hosts print none.

    Raises ValueError, whose message never repeats the link.
    """
    address = read_address(link)
    parts = urlsplit(link)
    fields = parse_qsl(parts.query, keep_blank_values=True)
    if parts.path not in ("", "/") or [name for name, _ in fields] not in ([], ["token"]):
        raise ValueError("the link has not the form http://127.0.0.1:3080/?token=…")
    token = fields[0][1] if fields else None
    if token is not None and not 0 < len(token) <= _MAX_TOKEN:
        raise ValueError("the token in the link is empty or too long")
    return address, token


async def exchange(
    transport: Transport, token: str, *, clock: Callable[[], float] = time.time
) -> Login:
    """The login that a token buys. Raises `HostError`; no message repeats the token."""
    address = transport.address
    target = "/?" + urlencode({"token": token})
    reply = await transport.get(target, {}, EXCHANGE)
    if reply.status == 303:
        return _login(reply, address, clock())
    raise _refused(reply, address)


def _login(reply: Reply, address: HostAddress, now: float) -> Login:
    """Nobody follows the redirect; it only carries the cookie."""
    for header in reply.headers.get_list("set-cookie"):
        found = _COOKIE.match(header)
        if found is not None:
            age = _MAX_AGE.search(header)
            life = min(int(age[1]), _LONGEST_LIFE) if age else _LONGEST_LIFE
            return Login(found[1], now + life)
    raise GarbageError(f"the host at {address.url} took the link but gave no login for it")


def _refused(reply: Reply, address: HostAddress) -> HostError:
    if reply.status == 403:
        return refused_by_fence(address)
    if reply.status == 401 and GREETING in reply.body:
        return LoginNeededError(
            f"the host at {address.url} does not know this link: each start prints another one. "
            "Copy the link from the output of the `dsh web` that runs now"
        )
    return NotAHostError(f"what answers at {address.url} takes no logins: status {reply.status}")
