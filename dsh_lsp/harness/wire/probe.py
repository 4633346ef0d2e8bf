"""Which wire a host speaks, and which version it is, found out by asking (docs/harness.md)."""

from __future__ import annotations

import re

from dsh_lsp.core.display import one_line
from dsh_lsp.harness.wire.api_proxy import ApiProxy
from dsh_lsp.harness.wire.envelope import Caller
from dsh_lsp.harness.wire.errors import (
    GarbageError,
    LoginNeededError,
    NotAHostError,
    RefusedError,
    UnknownMethodError,
)
from dsh_lsp.harness.wire.fence import GREETING
from dsh_lsp.harness.wire.http import Bounds
from dsh_lsp.harness.wire.remote import (
    DIALECT_0_1_2,
    DIALECT_0_1_5,
    DIALECT_0_2_1,
    NOBODY,
    Remote,
)
from dsh_lsp.harness.wire.wire import Wire

PROBE = Bounds(3.0, 1 << 20)
"""For each question of a probe; a host that is slower than this is as good as dead."""

NEWEST_TRIED = (0, 2, 1)

_SINCE_0_1_5 = "session/uploadFileBinary"
"""A method that 0.1.2 does not have; it refuses JSON before it does anything."""

_RELEASE = re.compile(
    rb'"release":\{"version":"([0-9]{1,4})\.([0-9]{1,4})\.([0-9]{1,4})([^"]{0,40})"'
)


async def probe(caller: Caller) -> Wire:
    """The host as a wire. Raises `HostError`."""
    try:
        return await _wire(caller)
    except GarbageError as error:
        raise _no_host(caller) from error
    except LoginNeededError:
        await _check_greeting(caller)
        raise


async def _wire(caller: Caller) -> Wire:
    try:
        value = await caller.call("host.describe", {}, PROBE)
    except UnknownMethodError:
        return await _newer(caller)
    if not isinstance(value, dict) or not isinstance(value.get("version"), str):
        raise _no_host(caller)
    return ApiProxy(caller)


async def _newer(caller: Caller) -> Remote:
    """A host without `host.describe`, which may as well be something else."""
    payload = {"args": {"request": {"sessionId": NOBODY}}}
    try:
        await caller.call("session/projections", payload, PROBE)
    except UnknownMethodError:
        return await _without_projections(caller)
    except RefusedError:
        pass  # it knows the method, which is all that was asked
    return Remote(caller, DIALECT_0_2_1, await _told_version(caller))


async def _without_projections(caller: Caller) -> Remote:
    remote = Remote(caller, DIALECT_0_1_2)
    try:
        await remote.check()
    except UnknownMethodError:
        raise _no_host(caller) from None
    try:
        await caller.call(_SINCE_0_1_5, {}, PROBE)
    except UnknownMethodError:
        return remote
    except RefusedError:
        pass  # it wants another content type, which is all that was asked
    return Remote(caller, DIALECT_0_1_5)


async def _told_version(caller: Caller) -> str | None:
    """The release that the host's start page names, and whether it is newer than any tried."""
    page = await caller.page("/", PROBE)
    told = _RELEASE.search(page.body)
    if told is None:
        return None
    numbers = tuple(int(told[place]) for place in (1, 2, 3))
    version = ".".join(map(str, numbers)) + one_line(told[4].decode("utf-8", "replace"))
    if numbers <= NEWEST_TRIED:
        return version
    newest = ".".join(map(str, NEWEST_TRIED))
    return f"{version} (newer than {newest}, the newest that dsh-lsp was tried with)"


async def _check_greeting(caller: Caller) -> None:
    """Anything may answer 401; only a host says why in these words."""
    reply = await caller.page("/", PROBE)
    if reply.status == 401 and GREETING not in reply.body:
        raise _no_host(caller)


def _no_host(caller: Caller) -> NotAHostError:
    return NotAHostError(f"what answers at {caller.address.url} is not a DeepSeek Harness")
