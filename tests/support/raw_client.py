"""An LSP client of bytes and plain JSON, for what no client library would send."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

SECONDS = 20.0

SERVE = (sys.executable, "-m", "dsh_lsp", "serve", "--stdio")

Json = dict[str, Any]


class RawClient:
    """Talks to one server. Its requests are answered by `answers`, by method."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ids = itertools.count(1)
        self._waiting: dict[Any, asyncio.Future[Json]] = {}
        self._arrived = asyncio.Condition()
        self._reading = asyncio.ensure_future(self._read())
        self.notifications: list[Json] = []
        self.requests: list[Json] = []
        self.unmatched: list[Json] = []
        self.answers: dict[str, Any] = {}
        self.torn = b""  # what the server left half-written

    async def request(self, method: str, params: Any = None) -> Json:
        """Send a request, and return the whole answer: it has `result` or `error`."""
        return await self.begin(method, params)

    def begin(self, method: str, params: Any = None, msg_id: Any = None) -> asyncio.Future[Json]:
        """Send a request; its answer comes later."""
        msg_id = next(self._ids) if msg_id is None else msg_id
        message = {"jsonrpc": "2.0", "id": msg_id, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return self.answer_to(msg_id)

    def answer_to(self, msg_id: Any) -> asyncio.Future[Json]:
        """The answer with an id, whenever it comes."""
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[msg_id] = future
        return asyncio.ensure_future(asyncio.wait_for(future, SECONDS))

    async def result(self, method: str, params: Any = None) -> Any:
        """The result of a request that must succeed."""
        answer = await self.request(method, params)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    async def error(self, method: str, params: Any = None) -> Json:
        """The error of a request that must fail."""
        answer = await self.request(method, params)
        assert "error" in answer, answer
        return dict(answer["error"])

    def notify(self, method: str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else {**message, "params": params})

    def send(self, message: Any) -> None:
        self.send_body(json.dumps(message).encode())

    def send_body(self, body: bytes) -> None:
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send_bytes(self, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(data)

    async def initialize(self, **params: Any) -> Json:
        """Begin a session with these `initialize` params."""
        given = {"processId": None, "rootUri": None, "capabilities": {}, **params}
        result = await self.result("initialize", given)
        self.notify("initialized", {})
        return dict(result)

    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "dsh-prompt", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Json) -> None:
        document = {"uri": uri, "version": version}
        params = {"textDocument": document, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    async def command(self, name: str, **argument: Any) -> Any:
        return await self.result(
            "workspace/executeCommand", {"command": name, "arguments": [argument]}
        )

    async def until(self, found: Any) -> Any:
        """The first true value of `found()`, looked at whenever something arrives."""
        async with asyncio.timeout(SECONDS), self._arrived:
            while not (value := found()):
                await self._arrived.wait()
            return value

    async def published(self, uri: str, version: int | None = None) -> list[Json]:
        """The newest published diagnostics of a document, once they are of a version."""

        def newest() -> list[list[Json]]:
            return [
                each["params"]["diagnostics"]
                for each in self.notifications
                if each["method"] == "textDocument/publishDiagnostics"
                and each["params"]["uri"] == uri
                and version in (None, each["params"].get("version"))
            ][-1:]

        return list((await self.until(newest))[0])

    async def end(self) -> tuple[int, bytes]:
        """Shut down politely; the exit code and what came on standard error."""
        await self.result("shutdown")
        self.notify("exit")
        return await self.ended()

    async def ended(self) -> tuple[int, bytes]:
        """Wait for the server's end; the exit code and what came on standard error."""
        assert self._process.stderr is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        said = await asyncio.wait_for(self._process.stderr.read(), SECONDS)
        code = await asyncio.wait_for(self._process.wait(), SECONDS)
        await self._reading
        return code, said

    async def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            try:
                header = await stream.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError as rest:
                self.torn = rest.partial
                return
            size = int(header.split(b":")[1].split(b"\r\n")[0])
            await self._take(json.loads(await stream.readexactly(size)))

    async def _take(self, message: Json) -> None:
        if "method" not in message:
            waiting = self._waiting.pop(message["id"], None)
            if waiting is None:
                self.unmatched.append(message)
            elif not waiting.done():
                waiting.set_result(message)
        elif "id" in message:
            self.requests.append(message)
            result = self.answers.get(message["method"])
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        else:
            self.notifications.append(message)
        async with self._arrived:
            self._arrived.notify_all()


@asynccontextmanager
async def raw_client(
    *arguments: str, env: Mapping[str, str] | None = None
) -> AsyncIterator[RawClient]:
    """A client of a fresh server, which is ended with it."""
    process = await asyncio.create_subprocess_exec(
        *SERVE,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **(env or {})},
        limit=1 << 26,
    )
    client = RawClient(process)
    try:
        yield client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
