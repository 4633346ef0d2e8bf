"""A loopback proxy in front of a host that cuts the connections of chosen requests."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import StrEnum

from tests.support.loopback_server import loopback_server


class Cut(StrEnum):
    """Where a connection is cut."""

    BEFORE = "before the request"
    INSIDE = "inside the request"
    AFTER = "after the request"
    ANSWERED = "after the host's answer"
    INSIDE_ANSWER = "inside the host's answer"


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to one request. `share` says how far inside; pauses are seconds."""

    cut: Cut | None = None
    share: float = 0.5
    pause_before: float = 0.0
    pause_after: float = 0.0


class CuttingProxy:
    """Passes everything on, but requests for which `plan` has another idea.

    `plan` is given a whole request, head and body, and may answer None.
    """

    def __init__(self, port: int, plan: Callable[[bytes], Plan | None]) -> None:
        self.url = ""
        self._port = port
        self._plan = plan

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of a client, which carries one request."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            request = await _read_message(reader)
            await self._pass_on(request, self._plan(request) or Plan(), writer)
        writer.close()

    async def _pass_on(self, request: bytes, plan: Plan, writer: asyncio.StreamWriter) -> None:
        if plan.cut is Cut.BEFORE:
            return
        await asyncio.sleep(plan.pause_before)
        answers, host = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            if plan.cut is Cut.INSIDE:
                request = request[: max(1, int(plan.share * (len(request) - 1)))]
            host.write(request)
            await host.drain()
            if plan.cut in (Cut.INSIDE, Cut.AFTER):
                return
            answer = await _read_answer(answers)
            await asyncio.sleep(plan.pause_after)
            if plan.cut is Cut.ANSWERED:
                return
            if plan.cut is Cut.INSIDE_ANSWER:
                answer = answer[: max(1, int(plan.share * (len(answer) - 1)))]
            writer.write(answer)
            await writer.drain()
        finally:
            host.close()


@contextlib.asynccontextmanager
async def cutting_proxy(
    port: int, plan: Callable[[bytes], Plan | None]
) -> AsyncIterator[CuttingProxy]:
    """A proxy on a free port of 127.0.0.1 in front of a host's port."""
    proxy = CuttingProxy(port, plan)
    async with loopback_server(proxy.serve) as proxy.url:
        yield proxy


async def _read_message(reader: asyncio.StreamReader) -> bytes:
    """A head, and the body whose length it tells."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (
            int(line.partition(b":")[2])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        ),
        0,
    )
    return head + await reader.readexactly(length)


async def _read_answer(reader: asyncio.StreamReader) -> bytes:
    """A whole answer: of known length, in chunks, or up to the end of the connection."""
    head = await reader.readuntil(b"\r\n\r\n")
    fields = head.lower()
    if b"\r\ncontent-length:" in fields:
        length = int(fields.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])
        return head + await reader.readexactly(length)
    if b"\r\ntransfer-encoding: chunked" in fields:
        body = b""
        while True:
            size = await reader.readuntil(b"\r\n")
            body += size + await reader.readexactly(int(size, 16) + 2)
            if int(size, 16) == 0:
                return head + body
    return head + await reader.read()
