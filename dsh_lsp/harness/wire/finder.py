"""The first host that answers as one, among the places where one may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import anyio.to_thread

from dsh_lsp.harness.wire.discover import SETTING, Place
from dsh_lsp.harness.wire.errors import (
    FenceError,
    ForeignAddressError,
    HostError,
    LoginNeededError,
    NotAHostError,
    UnreachableError,
)
from dsh_lsp.harness.wire.owner import belongs_to_others

if TYPE_CHECKING:
    from dsh_lsp.harness.wire.cookies import CookieStore
    from dsh_lsp.harness.wire.wire import Wire


class Finder:
    """Tries places in their order. `places` is asked anew each time, since hosts come and go."""

    def __init__(self, places: Callable[[], Sequence[Place]], cookies: CookieStore) -> None:
        self._places = places
        self._cookies = cookies

    async def find(self) -> Wire:
        """A host that answers. Raises the `HostError` that says most about why there is none."""
        await anyio.to_thread.run_sync(_load_http)
        failures: list[tuple[Place, HostError]] = []
        for place in await anyio.to_thread.run_sync(self._places):
            try:
                return await connect(place, self._cookies)
            except HostError as error:
                failures.append((place, error))
        raise _most_telling(failures)


async def connect(place: Place, cookies: CookieStore) -> Wire:
    """The host at a place. Raises `HostError`."""
    if place.guess and await anyio.to_thread.run_sync(belongs_to_others, place.address):
        raise ForeignAddressError(
            f"at {place.address.url} listens a program of another user of this machine; to use it "
            f"all the same, set {SETTING} to it"
        )
    from dsh_lsp.harness.wire.envelope import Caller
    from dsh_lsp.harness.wire.http import Transport
    from dsh_lsp.harness.wire.probe import probe

    caller = Caller(Transport(place.address), cookies.get(place.address))
    try:
        return await probe(caller)
    except BaseException:
        await caller.aclose()
        raise


def _load_http() -> None:
    """httpx takes a while to load, so it is done aside and only when a host is looked for."""
    import dsh_lsp.harness.wire.probe  # noqa: F401


def _most_telling(failures: Sequence[tuple[Place, HostError]]) -> HostError:
    """A host that wants something of the user says more than a port where nobody listens."""
    errors = [error for _, error in failures]
    for kind in (LoginNeededError, FenceError):
        found = [error for error in errors if isinstance(error, kind)]
        if found:
            return found[0]
    others = [each for each in errors if not isinstance(each, UnreachableError | NotAHostError)]
    return others[0] if others else UnreachableError(_nobody(failures))


def _nobody(failures: Sequence[tuple[Place, HostError]]) -> str:
    latest: dict[str, HostError] = {}  # of several places of one origin, the others say no more
    for place, error in failures:
        latest.setdefault(place.origin, error)
    tried = "; ".join(f"{error} ({origin})" for origin, error in latest.items())
    return f"{tried[:1].upper()}{tried[1:]}"
