"""The event loop of a server, over any kind of stream."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Mapping
from typing import Any

from dsh_lsp.server import garbage
from dsh_lsp.server.connection import START_SECONDS
from dsh_lsp.server.server import Server
from dsh_lsp.server.services import Connect
from dsh_lsp.server.stdio import Pen, Pump
from dsh_lsp.server.wire import Frames, FramingError

_READ_SIZE = 256 * 1024

_FAREWELL_SECONDS = 2.0


def serve_standard_streams(
    connect: Connect,
    defaults: Mapping[str, Any] | None,
    pump: Pump,
    pen: Pen,
    first: bytes,
    params: Mapping[str, Any] | None,
) -> int:
    """Serve the client behind a pump and a pen; the result is the exit code.

    `first` is its first message. `params` are those of an `initialize` that has been answered.
    """
    quiet()
    return asyncio.run(_serve_stream(Server(connect, defaults), pump, pen, first, params))


def serve_tcp(connect: Connect, host: str, port: int, defaults: Mapping[str, Any] | None) -> int:
    """Serve any number of clients over TCP, each with services of its own, until interrupted."""
    quiet()
    garbage.settle()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve_socket(Server(connect, defaults), reader, writer)

    async def listen() -> None:
        listener = await asyncio.start_server(serve, host, port)
        places = (each.getsockname() for each in listener.sockets)
        shown = ", ".join(f"{place[0]}:{place[1]}" for place in places)
        print(f"dsh-lsp listens on {shown}", file=sys.stderr, flush=True)  # noqa: T201
        async with listener:
            await listener.serve_forever()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(listen())
    return 0


def serve_ws(connect: Connect, host: str, port: int, defaults: Mapping[str, Any] | None) -> int:
    """Serve one client over a WebSocket, for debugging; ends with it."""
    quiet()
    garbage.settle()
    server = Server(connect, defaults)
    server.protocol.on_exit = lambda _code: server.shutdown()  # type: ignore[no-untyped-call]
    with contextlib.suppress(KeyboardInterrupt):
        server.start_ws(host, port)
    return 0


def quiet() -> None:
    """Libraries log whole messages, and with them what people wrote: nothing of it is kept."""
    for name in ("pygls", "asyncio", "websockets", "dsh_lsp"):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.addHandler(logging.NullHandler())


async def _serve_stream(
    server: Server, pump: Pump, pen: Pen, first: bytes, params: Mapping[str, Any] | None
) -> int:
    loop = asyncio.get_running_loop()
    loop.call_later(START_SECONDS, garbage.settle)  # 40 ms that no first answer should wait for
    ended: asyncio.Future[int] = loop.create_future()
    protocol = server.protocol
    protocol.set_writer(pen)
    protocol.on_exit = lambda code: _settle(ended, code)

    def take(body: bytes | None) -> None:
        if body is None:
            _settle(ended, 1)
        elif not ended.done():
            protocol.receive(body)

    if params is None:
        protocol.receive(first)
    else:
        protocol.begin(params)

    def deliver(body: bytes | None) -> None:
        loop.call_soon_threadsafe(take, body)

    pump.attach(deliver)
    code = await ended
    await _close(server)
    return code


async def _serve_socket(
    server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    server.protocol.set_writer(writer)
    server.protocol.on_exit = lambda code: _settle(ended, code)
    frames = Frames()
    with contextlib.suppress(FramingError, OSError):
        while not ended.done() and (data := await reader.read(_READ_SIZE)):
            for body in frames.feed(data):
                server.protocol.receive(body)
    await _close(server)
    writer.close()


async def _close(server: Server) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(server.connection.close(), _FAREWELL_SECONDS)


def _settle(ended: asyncio.Future[int], code: int) -> None:
    if not ended.done():
        ended.set_result(code)
