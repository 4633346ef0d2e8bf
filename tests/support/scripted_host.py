"""A loopback server whose every answer a test writes, down to the byte."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.loopback_server import loopback_server

GREETING = b"dsh web authentication required; reopen the URL printed by dsh web.\n"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came over the wire. Header names are lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def name(self) -> str:
        """The method of the host that is called."""
        return self.target.removeprefix("/api/")

    @property
    def envelope(self) -> dict[str, Any]:
        """What a call carries."""
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value


Answer = bytes | None
"""Raw bytes of a whole response; None closes the connection without a word."""

Script = Callable[[Asked], Awaitable[Answer] | Answer]


@dataclass(slots=True)
class ScriptedHost:
    """A server and everything that it was asked; `script` may be replaced at any time."""

    script: Script
    url: str = ""
    asked: list[Asked] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The targets of all requests, without `/api/`."""
        return [each.name for each in self.asked]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            asked = await _read(reader)
            self.asked.append(asked)
            answer = self.script(asked)
            if not isinstance(answer, bytes | None):
                answer = await answer
            if answer is not None:
                writer.write(answer)
                await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def scripted_host(script: Script) -> AsyncIterator[ScriptedHost]:
    """A server on a free port of 127.0.0.1."""
    host = ScriptedHost(script)
    async with loopback_server(host.serve) as host.url:
        yield host


def response(status: int, body: bytes = b"", **headers: str) -> bytes:
    """A whole response; `_` in a header's name stands for `-`."""
    named = {"content-length": str(len(body)), "connection": "close"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode() + body


def value(asked: Asked, result: Any) -> bytes:
    """A host's answer that it did what was asked."""
    return _enveloped(asked, {"ok": True, "value": result})


def refused(asked: Asked, code: str, message: str = "it said no") -> bytes:
    """A host's refusal."""
    return _enveloped(asked, {"ok": False, "error": {"code": code, "message": message}})


async def hang(_: Asked) -> None:
    """Never answer."""
    await asyncio.Event().wait()


def _enveloped(asked: Asked, result: Any) -> bytes:
    envelope = {
        "type": "server-response",
        "rpcId": asked.envelope["rpcId"],
        "result": result,
    }
    return response(200, json.dumps(envelope).encode(), content_type="application/json")


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = {}
    for line in filter(None, head[1:]):
        name, _, content = line.partition(":")
        assert name.lower() not in headers, f"{name} twice"
        headers[name.lower()] = content.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, target, headers, body)
