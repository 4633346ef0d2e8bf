"""A small model server on loopback that does what tests tell it; both model protocols."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from tests.support.mock_model_request import ModelRequest, Protocol, Purpose, read_request
from tests.support.mock_model_script import (
    Action,
    Call,
    Cut,
    Hang,
    Hold,
    Refuse,
    Say,
    Think,
    actions_in,
)
from tests.support.mock_model_stream import Stream, stream_for

HIGHEST_REFUSED_PORT = 10_080
"""`fetch` of the standard library of Node refuses some ports, all of them up to this one."""

TITLE = "A title by the model"
SUMMARY = "A summary by the model"


class OverError(Exception):
    """There is nothing more to send for this request."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What to do when a request of this purpose holds this text."""

    purpose: Purpose
    needle: str
    actions: tuple[Action, ...]

    def fits(self, request: ModelRequest) -> bool:
        asked = request.text if self.purpose is not Purpose.ANSWER else "\n".join(request.prompts)
        return request.purpose is self.purpose and self.needle in asked


class MockModel:
    """A model that obeys: rules of the test first, then actions in the prompt, then an echo.

    It runs on a thread of its own, so tests of any kind can use it. A title and a summary are
    constant unless a rule says more. After a tool's result it says so, and the turn ends.
    """

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []
        self.port = 0
        self._rules: list[Rule] = []
        self._gates: dict[str, asyncio.Event] = {}
        self._faults: list[Exception] = []
        self._call_ids = itertools.count(1)
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def rule(self, needle: str, *actions: Action, purpose: Purpose = Purpose.ANSWER) -> None:
        """Do `actions` for every request that holds `needle`; the latest rule that fits wins."""
        self._rules.insert(0, Rule(purpose, needle, actions))

    def release(self, name: str) -> None:
        """Let everything go on that holds this name, now and later."""
        self._on_loop(lambda: self._gate(name).set())

    def hold(self, name: str) -> None:
        """Make this name hold again after a release."""
        self._on_loop(lambda: self._gates.pop(name, None))

    def seen(self, needle: str, purpose: Purpose = Purpose.ANSWER) -> list[ModelRequest]:
        """The requests so far that hold this text since the last answer."""
        return [request for request in self.requests if Rule(purpose, needle, ()).fits(request)]

    def __enter__(self) -> MockModel:
        self._thread.start()
        self._listening.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._on_loop(self._stopping.set)
        self._thread.join()
        self._loop.close()
        if self._faults and error is None:
            raise ExceptionGroup("the mock model could not do what it was asked", self._faults)

    def _on_loop(self, call: Callable[[], Any]) -> None:
        self._loop.call_soon_threadsafe(call)

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    async def _serve(self) -> None:
        tasks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(self._converse(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await _listen(accept)
        self.port = server.sockets[0].getsockname()[1]
        self._listening.set()
        await self._stopping.wait()
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            (_, path, _), headers = _parse_head(head)
            body = await reader.readexactly(int(headers["content-length"]))
            request = read_request(_protocol(path), headers, json.loads(body))
            self.requests.append(request)
            await self._answer(request, _Reply(writer))
        except (OverError, ConnectionError, asyncio.IncompleteReadError):
            pass  # hosts are killed in the middle of a request
        except Exception as error:
            self._faults.append(error)
        finally:
            writer.close()

    async def _answer(self, request: ModelRequest, reply: _Reply) -> None:
        stream = stream_for(request.protocol)
        for action in self._plan(request):
            await self._act(action, stream, reply)
        await reply.send(stream, stream.finish())
        await reply.end()

    def _plan(self, request: ModelRequest) -> Sequence[Action]:
        for rule in self._rules:
            if rule.fits(request):
                return rule.actions
        match request.purpose:
            case Purpose.TITLE:
                return [Say(TITLE)]
            case Purpose.SUMMARY:
                return [Say(SUMMARY)]
        if asked := actions_in(request.prompts):
            return asked
        if request.follows_tool:
            return [Say("The tool has answered.")]
        return [Say(f"Echo: {request.prompts[0] if request.prompts else ''}")]

    async def _act(self, action: Action, stream: Stream, reply: _Reply) -> None:
        match action:
            case Say(text, pieces, pause):
                for piece in _pieces(text, pieces):
                    await asyncio.sleep(pause)
                    await reply.send(stream, stream.say(piece))
            case Think(text):
                await reply.send(stream, stream.think(text))
            case Call(name, arguments):
                call_id = f"call-{next(self._call_ids)}"
                await reply.send(stream, stream.call(call_id, name, arguments))
            case Hold(name):
                await self._gate(name).wait()
            case Refuse(status):
                await reply.refuse(status)
                raise OverError
            case Cut():
                reply.cut()
                raise OverError
            case Hang():
                await self._stopping.wait()


class _Reply:
    """The HTTP side of one answer; its head is sent with the first bytes of the stream."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._begun = False

    async def send(self, stream: Stream, data: bytes) -> None:
        if not self._begun:
            self._begun = True
            head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            head += "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            self._writer.write(head.encode())
            self._chunk(stream.begin())
        self._chunk(data)
        await self._writer.drain()

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def refuse(self, status: int) -> None:
        error = {"error": {"type": "mock_error", "message": f"refused with {status}, as asked"}}
        body = json.dumps(error).encode()
        head = f"HTTP/1.1 {status} Refused\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        self._writer.write(head.encode() + body)
        await self._writer.drain()

    def cut(self) -> None:
        self._writer.transport.abort()

    def _chunk(self, data: bytes) -> None:
        self._writer.write(b"%x\r\n%b\r\n" % (len(data), data))


async def _listen(accept: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]) -> Any:
    while True:
        server = await asyncio.start_server(accept, "127.0.0.1", 0, limit=1 << 20)
        if server.sockets[0].getsockname()[1] > HIGHEST_REFUSED_PORT:
            return server
        server.close()


def _parse_head(head: bytes) -> tuple[list[str], dict[str, str]]:
    first, *rest = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in rest if line)
    return first.split(" "), {name.lower(): value.strip() for name, _, value in pairs}


def _protocol(path: str) -> Protocol:
    return next(protocol for protocol in Protocol if path.endswith(protocol))


def _pieces(text: str, count: int) -> list[str]:
    size = max(1, -(-len(text) // count))
    return [text[at : at + size] for at in range(0, len(text), size)] or [text]
