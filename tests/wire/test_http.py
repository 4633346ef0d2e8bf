"""The transport: what it sends, what it refuses to read, and what a failure says was sent."""

from __future__ import annotations

import asyncio
import gzip
import socket
import time

import pytest

from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.errors import (
    GarbageError,
    LostAnswerError,
    TooLargeError,
    UnreachableError,
)
from dsh_lsp.harness.wire.http import Bounds, Reply, Transport
from tests.support.scripted_host import Asked, Script, hang, response, scripted_host

pytestmark = pytest.mark.anyio

BOUNDS = Bounds(5.0, 1000)


async def get(url: str, bounds: Bounds = BOUNDS) -> Reply:
    transport = Transport(read_address(url))
    try:
        return await transport.get("/", {}, bounds)
    finally:
        await transport.aclose()


async def ask(script: Script, bounds: Bounds = BOUNDS) -> Reply:
    async with scripted_host(script) as host:
        return await get(host.url, bounds)


async def test_a_request_carries_the_address_as_it_was_spelled_and_no_origin() -> None:
    async with scripted_host(lambda _: response(200, b"yes")) as host:
        port = host.url.rpartition(":")[2]
        transport = Transport(read_address(f"http://LOCALHOST:{port}"))
        reply = await transport.post("/api/a", {"Cookie": "a=b"}, b"{}", BOUNDS)
        await transport.aclose()
    assert (reply.status, reply.body) == (200, b"yes")
    (asked,) = host.asked
    assert (asked.method, asked.target, asked.body) == ("POST", "/api/a", b"{}")
    assert asked.headers["host"] == f"localhost:{port}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["cookie"] == "a=b"
    assert asked.headers["accept-encoding"] == "identity"
    assert not {"origin", "referer", "authorization"} & asked.headers.keys()


async def test_no_proxy_and_no_netrc_is_used(monkeypatch, tmp_path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with scripted_host(lambda _: response(204)) as host:
        assert (await get(host.url)).status == 204
    assert "authorization" not in host.asked[0].headers


async def test_no_redirect_is_followed_and_no_cookie_kept() -> None:
    def script(_: Asked) -> bytes:
        return response(303, location="/elsewhere", set_cookie="a=b")

    async with scripted_host(script) as host:
        transport = Transport(read_address(host.url))
        for _ in range(2):
            assert (await transport.get("/", {}, BOUNDS)).status == 303
        await transport.aclose()
    assert [each.target for each in host.asked] == ["/", "/"]
    assert not any("cookie" in each.headers for each in host.asked)


@pytest.mark.parametrize("size", [1000, 1001])
async def test_answers_are_bounded(size: int) -> None:
    if size <= BOUNDS.size:
        assert len((await ask(lambda _: response(200, b"x" * size))).body) == size
    else:
        with pytest.raises(TooLargeError, match="1,000 bytes"):
            await ask(lambda _: response(200, b"x" * size))


async def test_an_endless_answer_ends() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 4096)
                await writer.drain()
        except OSError:
            writer.close()

    server = await asyncio.start_server(endless, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(TooLargeError):
        await get(f"http://127.0.0.1:{port}")
    server.close()


async def test_a_packed_answer_is_refused_before_it_grows() -> None:
    packed = gzip.compress(b"\0" * (1 << 20))
    with pytest.raises(GarbageError, match="packed"):
        await ask(lambda _: response(200, packed, content_encoding="gzip"), Bounds(5, 1 << 30))


async def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(UnreachableError, match="no harness answers") as error:
        await get(f"http://127.0.0.1:{port}")
    assert not error.value.may_be_kept


BROKEN = [
    pytest.param(lambda _: None, id="closed without a word"),
    pytest.param(lambda _: b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab", id="cut short"),
    pytest.param(lambda _: b"SSH-2.0-OpenSSH\r\n", id="another protocol"),
    pytest.param(lambda _: b"\xff" * 100, id="noise"),
    pytest.param(lambda _: b"HTTP/1.1 200 OK\r\n" + b"a" * 200_000, id="endless header"),
    pytest.param(
        lambda _: b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", id="bad chunk"
    ),
]


@pytest.mark.parametrize("script", BROKEN)
async def test_a_broken_answer_may_stand_for_a_request_that_was_taken(script: Script) -> None:
    with pytest.raises(LostAnswerError) as error:
        await ask(script)
    assert error.value.may_be_kept


async def test_a_deadline_ends_a_hanging_host() -> None:
    start = time.monotonic()
    with pytest.raises(LostAnswerError, match=r"within 0\.2 seconds"):
        await ask(hang, Bounds(0.2, 1000))
    assert time.monotonic() - start < 5


async def test_a_deadline_holds_for_an_answer_that_drips() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                writer.write(b".")
                await writer.drain()
                await asyncio.sleep(0.01)
        except OSError:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(LostAnswerError):
        await get(f"http://127.0.0.1:{port}", Bounds(0.2, 1 << 20))
    server.close()


async def test_a_host_that_never_takes_the_connection_was_sent_nothing() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = []
        for _ in range(8):  # fill its queue, so that the next connection hangs
            other = socket.socket()
            other.setblocking(False)
            other.connect_ex(("127.0.0.1", port))
            waiting.append(other)
        with pytest.raises(UnreachableError):
            await get(f"http://127.0.0.1:{port}", Bounds(0.5, 1000))
        for other in waiting:
            other.close()
