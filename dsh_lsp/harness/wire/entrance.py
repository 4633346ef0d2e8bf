"""Entering a host with the link that it printed, and remembering the way in (docs/harness.md)."""

from __future__ import annotations

from dsh_lsp.harness.port import Description, HarnessError
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.cookies import CookieStore
from dsh_lsp.harness.wire.discover import Place, require_named
from dsh_lsp.harness.wire.finder import connect
from dsh_lsp.harness.wire.http import Transport
from dsh_lsp.harness.wire.login import exchange, read_link


async def enter(link: str, cookies: CookieStore, *, named: str | None) -> Description:
    """What answers behind a link, once its token has bought a login that is kept.

    `named` is the address that the settings name: another one must be on this machine. A link
    without a token is only tried. Raises `HarnessError`; no message repeats the link.
    """
    try:
        address, token = read_link(link.strip())
    except ValueError as error:
        raise HarnessError(f"this is not the link that `dsh web` printed: {error}") from None
    require_named(address, named)
    if token is not None:
        transport = Transport(address)
        try:
            login = await exchange(transport, token)
        finally:
            await transport.aclose()
        try:
            cookies.put(address, login)
        except OSError as error:
            raise HarnessError(f"the login could not be kept: {error.strerror}") from error
    wire = await connect(Place(address, "the link"), cookies)
    try:
        return Description(f"dsh web at {address.url}", wire.version)
    finally:
        await wire.aclose()


async def is_busy(url: str, cookies: CookieStore) -> bool:
    """Whether a turn runs or a prompt waits anywhere in the host at an address of ours.

    Raises `HarnessError`.
    """
    wire = await connect(Place(read_address(url), "where dsh-lsp started one"), cookies)
    try:
        rows = await wire.rows()
    finally:
        await wire.aclose()
    return any(row.running or (row.attached and row.waiting) for row in rows)
