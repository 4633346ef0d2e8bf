"""Starting the server: over standard input and output, TCP or a WebSocket.

An editor need not wait for the slow imports of asyncio and of LSP's types, so what answers
`initialize` is kept free of them, and the rest is imported afterwards.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dsh_lsp.server import garbage
from dsh_lsp.server.capabilities import initialize_result
from dsh_lsp.server.client import read_client
from dsh_lsp.server.stdio import Pen, Pump, take_standard_streams
from dsh_lsp.server.wire import framed, is_request_id

if TYPE_CHECKING:
    from dsh_lsp.server.services import Connect

Defaults = Mapping[str, Any]
"""Settings as an editor would send them; the client's own are laid over."""


def serve_stdio(connect: Connect, defaults: Defaults | None = None) -> int:
    """Serve one client over standard input and output; the result is the exit code."""
    garbage.begin()
    source, sink = take_standard_streams()
    pump, pen = Pump(source), Pen(sink)
    first = pump.first()
    if first is None:
        return _refuse(pump)
    params = _answer_initialize(first, pen)

    from dsh_lsp.server import serving

    code = serving.serve_standard_streams(connect, defaults, pump, pen, first, params)
    pen.close()
    return _refuse(pump) if pump.fault else _leave(code)


def serve_tcp(connect: Connect, host: str, port: int, defaults: Defaults | None = None) -> int:
    """Serve any number of clients over TCP, each with services of its own, until interrupted."""
    from dsh_lsp.server import serving

    return serving.serve_tcp(connect, host, port, defaults)


def serve_ws(connect: Connect, host: str, port: int, defaults: Defaults | None = None) -> int:
    """Serve one client over a WebSocket, for debugging; ends with it."""
    from dsh_lsp.server import serving

    return serving.serve_ws(connect, host, port, defaults)


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
