"""Where a host may be: what settings name, the environment, hosts of ours, the usual port."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsh_lsp.harness.wire.address import DEFAULT_URL, HostAddress, read_address
from dsh_lsp.harness.wire.errors import ForeignAddressError

SETTING = "dsh.harness.url"

VARIABLE = "DSH_WEB_URL"
"""Set by a host for the commands that its agent runs."""


_MOST_ENTERED = 5  # of most, the port is long forgotten


@dataclass(frozen=True, slots=True)
class Place:
    """An address to try, and why, for people.

    A `guess` is one that nobody names now: a program of another user may listen there.
    """

    address: HostAddress
    origin: str
    guess: bool = False


def places(
    *, named: str | None, environment: str | None, started: Sequence[str], entered: Sequence[str]
) -> list[Place]:
    """The addresses to try, in this order, each once.

    `named` is the setting and `environment` the variable: a prompt must not go elsewhere because
    the host that was named is down, so either is then the only place. `started` are hosts that
    dsh-lsp started, `entered` those that it logged in to. What no setting names must be on this
    machine. Raises `ForeignAddressError`.
    """
    if named is not None:
        return [Place(_read(named, SETTING), f"the setting {SETTING}")]
    if environment:
        address = _read(environment, VARIABLE)
        require_named(address, None)
        return [Place(address, f"the environment variable {VARIABLE}")]
    found: dict[str, Place] = {}
    for url, origin in _known(started, entered):
        try:
            address = read_address(url)
        except ValueError:
            continue  # a damaged record; the other places are still worth trying
        if address.is_loopback:
            found.setdefault(address.url, Place(address, origin, guess=True))
    return list(found.values())


def require_named(address: HostAddress, named: str | None) -> None:
    """Raises `ForeignAddressError` unless the address is on this machine or a setting names it."""
    if address.is_loopback or (named is not None and _read(named, SETTING).url == address.url):
        return
    raise ForeignAddressError(
        f"{address.url} is not on this machine; to use it all the same, set {SETTING} to it"
    )


def _read(url: str, where: str) -> HostAddress:
    try:
        return read_address(url)
    except ValueError as error:
        raise ForeignAddressError(f"{where}: {error}") from None


def _known(started: Sequence[str], entered: Sequence[str]) -> Iterator[tuple[str, str]]:
    for url in started:
        yield url, "where dsh-lsp started one"
    for url in entered[:_MOST_ENTERED]:
        yield url, "where dsh-lsp logged in before"
    yield DEFAULT_URL, "where `dsh web` listens"
