"""The product's own client in front of a real host."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import anyio

from dsh_lsp.harness.port import Mode, Outgoing, Receipt, ReceiptState
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.connection import Connection
from dsh_lsp.harness.wire.cookies import CookieStore
from dsh_lsp.harness.wire.discover import Place
from dsh_lsp.harness.wire.entrance import enter
from dsh_lsp.harness.wire.finder import Finder
from dsh_lsp.harness.wire.host import HostHarness
from tests.support.hosts import Host

T = TypeVar("T")

WAIT_LIMIT = 60.0


@contextlib.asynccontextmanager
async def client(host: Host, folder: Path) -> AsyncIterator[HostHarness]:
    """A harness for a host, logged in with its link; logins lie in `folder`."""
    cookies = CookieStore(folder)
    await enter(host.link, cookies, named=None)
    place = Place(read_address(host.url), "a test")
    harness = HostHarness(Connection(Finder(lambda: [place], cookies).find))
    try:
        yield harness
    finally:
        await harness.aclose()


def outgoing(session_id: str, request_id: str, text: str, mode: Mode = Mode.QUEUE) -> Outgoing:
    """A prompt of somebody in Berlin."""
    return Outgoing(request_id, session_id, text, mode, "Europe/Berlin")


async def await_receipt(
    harness: HostHarness, session_id: str, request_id: str, state: ReceiptState
) -> Receipt:
    """The receipt once it has a state."""
    return await until(
        lambda: harness.receipt(session_id, request_id), lambda receipt: receipt.state is state
    )


async def until(look: Callable[[], Awaitable[T]], fits: Callable[[T], bool]) -> T:
    """What is seen once it fits."""
    deadline = time.monotonic() + WAIT_LIMIT
    while not fits(seen := await look()):
        assert time.monotonic() < deadline, f"still {seen}"
        await anyio.sleep(0.05)
    return seen
