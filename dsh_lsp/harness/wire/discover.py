"""Where a host may be: what settings name, the environment, hosts of ours, the usual port."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsh_lsp.harness.wire.address import DEFAULT_URL, HostAddress, read_address
from dsh_lsp.harness.wire.errors import ForeignAddressError

VARIABLE = "DSH_WEB_URL"
"""Set by a host for the commands that its agent runs."""


_MOST_ENTERED = 5  # of most, the port is long forgotten


@dataclass(frozen=True, slots=True)
class Place:
    """An address to try, and why, for people."""

    address: HostAddress
    origin: str


def places(
    *, named: str | None, environment: str | None, started: Sequence[str], entered: Sequence[str]
) -> list[Place]:
    """The addresses to try, in this order, each once.

    `named` is the setting, and then the only one: a prompt must not go elsewhere because the host
    that the user chose is down. `started` are hosts that dsh-lsp started, `entered` those that it
    logged in to. Of what no setting names, only addresses of this machine are tried. Raises
    `ForeignAddressError` for a malformed setting.
    """
    if named is not None:
        return [Place(_named(named), "the setting dsh.harness.url")]
    found: dict[str, Place] = {}
    for url, origin in _unnamed(environment, started, entered):
        try:
            address = read_address(url)
        except ValueError:
            continue
        if address.is_loopback:
            found.setdefault(address.url, Place(address, origin))
    return list(found.values())


def require_named(address: HostAddress, named: str | None) -> None:
    """Raises `ForeignAddressError` unless the address is on this machine or a setting names it."""
    if address.is_loopback or (named is not None and _named(named).url == address.url):
        return
    raise ForeignAddressError(
        f"{address.url} is not on this machine; to use it all the same, set dsh.harness.url to it"
    )


def _named(url: str) -> HostAddress:
    try:
        return read_address(url)
    except ValueError as error:
        raise ForeignAddressError(f"dsh.harness.url: {error}") from None


def _unnamed(
    environment: str | None, started: Sequence[str], entered: Sequence[str]
) -> Iterator[tuple[str, str]]:
    if environment:
        yield environment, f"the environment variable {VARIABLE}"
    for url in started:
        yield url, "a host that dsh-lsp started"
    for url in entered[:_MOST_ENTERED]:
        yield url, "a host that dsh-lsp logged in to"
    yield DEFAULT_URL, "the port that dsh web uses"
