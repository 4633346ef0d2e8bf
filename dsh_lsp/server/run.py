"""Starting the server: over standard input and output, TCP or a WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dsh_lsp.server.capabilities import initialize_result
from dsh_lsp.server.client import read_client
from dsh_lsp.server.services import Connect
from dsh_lsp.server.stdio import Pen, Pump, take_standard_streams
from dsh_lsp.server.wire import Frames, FramingError, framed, is_request_id

if TYPE_CHECKING:
    from dsh_lsp.server.server import Server

_READ_SIZE = 256 * 1024

_FAREWELL_SECONDS = 2.0

Defaults = Mapping[str, Any]
"""Settings as an editor would send them; the client's own are laid over."""


def serve_stdio(connect: Connect, defaults: Defaults | None = None) -> int:
    """Serve one client over standard input and output; the result is the exit code."""
    quiet()
    source, sink = take_standard_streams()
    pump, pen = Pump(source), Pen(sink)
    first = pump.first()
    if first is None:
        return _refuse(pump)
    params = _answer_initialize(first, pen)
    # LSP's types take long to import, and the editor need not wait for them.
    from dsh_lsp.server.server import Server

    code = asyncio.run(_serve_stream(Server(connect, defaults), pump, pen, first, params))
    pen.close()
    return _refuse(pump) if pump.fault else _leave(code)


def serve_tcp(connect: Connect, host: str, port: int, defaults: Defaults | None = None) -> int:
    """Serve any number of clients over TCP, each with services of its own, until interrupted."""
    quiet()
    from dsh_lsp.server.server import Server

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


def serve_ws(connect: Connect, host: str, port: int, defaults: Defaults | None = None) -> int:
    """Serve one client over a WebSocket, for debugging; ends with it."""
    quiet()
    from dsh_lsp.server.server import Server

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


def _answer_initialize(body: bytes, pen: Pen) -> Mapping[str, Any] | None:
    """Answer a plain `initialize` and give its params; None for any other first message."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return None
    msg_id, params = message.get("id"), message.get("params")
    if not is_request_id(msg_id) or not isinstance(params, dict):
        return None
    result = initialize_result(read_client(params))
    answer = {"jsonrpc": "2.0", "id": msg_id, "result": result}
    pen.write(framed(json.dumps(answer).encode()))
    return params


async def _serve_stream(
    server: Server, pump: Pump, pen: Pen, first: bytes, params: Mapping[str, Any] | None
) -> int:
    loop = asyncio.get_running_loop()
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


def _refuse(pump: Pump) -> int:
    """Say why what came in is not a client."""
    if pump.fault is not None:
        reason = f"dsh-lsp serve: {pump.fault}; an editor starts this command and speaks LSP to it"
        print(reason, file=sys.stderr)  # noqa: T201
    return 1


def _leave(code: int) -> int:
    """Python would wait for threads that sleep in a system call; the editor has gone already."""
    others = (each for each in threading.enumerate() if each is not threading.main_thread())
    if any(not each.daemon for each in others):
        sys.stderr.flush()
        os._exit(code)
    return code
