"""Programs of other users are not taken for the user's own host."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from dsh_lsp.harness.wire import owner
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.cookies import CookieStore
from dsh_lsp.harness.wire.discover import Place
from dsh_lsp.harness.wire.errors import ForeignAddressError
from dsh_lsp.harness.wire.finder import connect
from tests.support.fake_wires import FakeHost
from tests.support.scripted_host import scripted_host

LINES = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout",
    "   0: 0100007F:0C08 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000     0",
    "   1: 0100007F:0C08 0100007F:D431 01 00000000:00000000 00:00000000 00000000  7777     0",
    "   2: 00000000:0C09 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001     0",
    "   3: 00000000000000000000000000000000:0C08 0:0 0A 0:0 00:0 0  1002     0",
    "damaged",
    "",
]


def test_only_listeners_of_the_port_count() -> None:
    assert list(owner.listeners(LINES, 0x0C08)) == [1000, 1002]
    assert list(owner.listeners(LINES, 0x0C09)) == [1001]
    assert list(owner.listeners(LINES, 1)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_a_program_of_ours_is_ours() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        assert list(owner.listeners(owner._lines(), port)) == [os.getuid()]
        assert not owner.belongs_to_others(read_address(f"http://127.0.0.1:{port}"))


def test_what_is_not_known_is_not_refused() -> None:
    assert not owner.belongs_to_others(read_address("http://127.0.0.1"))
    assert not owner.belongs_to_others(read_address("http://127.0.0.1:1"))


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
async def test_a_guessed_program_of_another_user_is_asked_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scripted_host(FakeHost("0.1.0")) as host:
        address = read_address(host.url)
        monkeypatch.setattr(os, "getuid", lambda: 123_456)
        with pytest.raises(ForeignAddressError, match="another user"):
            await connect(Place(address, "a test", guess=True), CookieStore(tmp_path))
        assert host.asked == []
        named = await connect(Place(address, "a test"), CookieStore(tmp_path))
        await named.aclose()
