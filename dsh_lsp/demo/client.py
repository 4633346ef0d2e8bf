"""A small LSP client: it starts the real server and talks to it over standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from typing import Any

ANSWER_SECONDS = 20.0
"""How long the server may take for one answer before the demo has failed."""


class ServerError(Exception):
    """The server refused a request, or is gone."""


class Client:
    """One connection. Requests of the server are answered as an editor without extras would."""

    def __init__(self, replies: asyncio.StreamReader, requests: asyncio.StreamWriter) -> None:
        self._replies = replies
        self._requests = requests
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._last_id = 0

    async def request(self, method: str, params: Any) -> Any:
        """The result of a request. Raises `ServerError`."""
        self._last_id += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[self._last_id] = answer
        self._write({"id": self._last_id, "method": method, "params": params})
        try:
            return await asyncio.wait_for(answer, ANSWER_SECONDS)
        except TimeoutError:
            raise ServerError(f"no answer to {method} within {ANSWER_SECONDS:.0f} s") from None

    def notify(self, method: str, params: Any) -> None:
        """Tell the server something."""
        self._write({"method": method, "params": params})

    async def read(self) -> None:
        """Take messages until the server closes the connection."""
        try:
            while True:
                head = await self._replies.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split()[0])
                self._take(json.loads(await self._replies.readexactly(length)))
        except asyncio.IncompleteReadError:
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(ServerError("the server ended before it answered"))

    def _take(self, message: Mapping[str, Any]) -> None:
        if "method" in message:
            if "id" in message:
                self._write({"id": message["id"], "result": None})
            return
        answer = self._answers.pop(message["id"], None)
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(ServerError(str(message["error"].get("message"))))
        else:
            answer.set_result(message["result"])

    def _write(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._requests.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


@contextlib.asynccontextmanager
async def running_server(environ: Mapping[str, str]) -> AsyncIterator[Client]:
    """A server process for the length of a block; it must end by itself, with status 0."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "dsh_lsp", "serve", "--stdio"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **environ},
        limit=1 << 24,
    )
    if process.stdout is None or process.stdin is None:
        raise ServerError("the server has no pipes")
    client = Client(process.stdout, process.stdin)
    reading = asyncio.create_task(client.read())
    try:
        yield client
        await client.request("shutdown", None)
        client.notify("exit", None)
        status = await asyncio.wait_for(process.wait(), ANSWER_SECONDS)
        if status != 0:
            raise ServerError(f"the server ended with status {status}")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await asyncio.wait([reading])
