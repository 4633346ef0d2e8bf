"""An embedded harness on a bench: a clock and ids that count, and responders that wait."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import zstandard

from dsh_lsp.core.log.event_types import STRICT_0_2_1
from dsh_lsp.core.log.events import parse_header
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.mentions import format_mention
from dsh_lsp.harness.embedded.answer import Speaker
from dsh_lsp.harness.embedded.harness import EmbeddedHarness
from dsh_lsp.harness.embedded.responder import ModelMessage
from dsh_lsp.harness.port import Mode, Outgoing, Receipt

CWD = "/home/dev/proj"

_RUNS = itertools.count(1)


class Ticker:
    """A clock that moves on by one millisecond whenever somebody looks at it."""

    def __init__(self, start: int = 1_000_000) -> None:
        self._times = itertools.count(start)

    def __call__(self) -> int:
        return next(self._times)


def counted_ids(prefix: str) -> Callable[[], str]:
    """Names that count up."""
    numbers = itertools.count(1)
    return lambda: f"{prefix}-{next(numbers)}"


class Echo:
    """Answers with what was said last, at once, and keeps what it was given."""

    speaker = Speaker("test", "echo")

    def __init__(self) -> None:
        self.given: list[tuple[ModelMessage, ...]] = []

    async def respond(self, messages: Sequence[ModelMessage]) -> str:
        self.given.append(tuple(messages))
        return f"You said: {messages[-1].text}"

    async def summarize(self, messages: Sequence[ModelMessage]) -> str:
        return f"{len(messages)} messages"


class Held(Echo):
    """Answers only when it is let go: once for each `release`."""

    def __init__(self) -> None:
        super().__init__()
        self._entered = anyio.Semaphore(0)
        self._released = anyio.Semaphore(0)

    async def respond(self, messages: Sequence[ModelMessage]) -> str:
        self._entered.release()
        await self._released.acquire()
        return await super().respond(messages)

    async def entered(self) -> None:
        """Return when an answer has been begun since the last time."""
        with anyio.fail_after(5):
            await self._entered.acquire()

    def release(self, count: int = 1) -> None:
        for _ in range(count):
            self._released.release()


class Failing(Echo):
    """Raises instead of answering."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def respond(self, messages: Sequence[ModelMessage]) -> str:
        raise self.error

    async def summarize(self, messages: Sequence[ModelMessage]) -> str:
        raise self.error


class Bench:
    """A harness and short words for what tests do with it."""

    def __init__(self, harness: EmbeddedHarness) -> None:
        self.harness = harness
        self._new_request = counted_ids(f"request-{next(_RUNS)}")

    async def session(self, *prompts: str, cwd: str | None = CWD) -> str:
        """A new session in which these prompts were answered."""
        session_id = await self.harness.create_session(cwd)
        for text in prompts:
            await self.ask(session_id, text)
        return session_id

    async def send(self, session_id: str, text: str, mode: Mode = Mode.QUEUE) -> str:
        """Send a prompt; its request id."""
        request_id = self._new_request()
        await self.harness.send(Outgoing(request_id, session_id, text, mode))
        return request_id

    async def ask(self, session_id: str, text: str, mode: Mode = Mode.QUEUE) -> Receipt:
        """Send a prompt and wait until nothing runs any more; its receipt."""
        request_id = await self.send(session_id, text, mode)
        await self.idle(session_id)
        return await self.harness.receipt(session_id, request_id)

    async def idle(self, session_id: str) -> None:
        with anyio.fail_after(5):
            await self.harness.idle(session_id)

    async def waiting(self, session_id: str) -> list[str]:
        """The texts that wait, in the order in which they will be taken."""
        return [message.text for message in (await self.harness.inbox(session_id)).pending]

    async def message_id(self, session_id: str, text: str) -> str:
        """The id of a waiting message."""
        inbox = await self.harness.inbox(session_id)
        return next(message.id for message in inbox.pending if message.text == text)

    def surface(self, session_id: str) -> Surface:
        """What the session's log on disk says that a model sees."""
        return replayed(log_path(self.harness.store, session_id))

    def events(self, session_id: str) -> list[dict[str, Any]]:
        """What the session's log holds on disk, its header left out."""
        return events_of(log_path(self.harness.store, session_id))


@asynccontextmanager
async def bench(root: Path, **options: Any) -> AsyncIterator[Bench]:
    """A harness for the length of a block."""
    new_id = counted_ids(f"run-{next(_RUNS)}")
    defaults: dict[str, Any] = {"clock": Ticker(), "new_id": new_id, "responder": Echo()}
    async with EmbeddedHarness(root, **(defaults | options)) as harness:
        yield Bench(harness)


def log_path(store: Path, session_id: str) -> Path:
    """The only log of a session."""
    (path,) = store.glob(f"*/{session_id}/session.v4.jsonl.zstd")
    return path


def frames_of(path: Path) -> list[bytes]:
    """The text of each frame of a log, read without our own reader."""
    data, frames = path.read_bytes(), []
    while data:
        decoder = zstandard.ZstdDecompressor().decompressobj()
        frames.append(decoder.decompress(data))
        assert decoder.eof, "the log ends inside a frame"
        data = decoder.unused_data
    return frames


def events_of(path: Path) -> list[dict[str, Any]]:
    """The events of a log."""
    lines = b"".join(frames_of(path)).decode("utf-8").split("\n")
    return [json.loads(line) for line in lines[1:] if line]


def replayed(path: Path) -> Surface:
    """What a log on disk says that a model sees, an open turn left open."""
    header, *lines = b"".join(frames_of(path)).split(b"\n")[:-1]
    replay = LogReplay(parse_header(header), STRICT_0_2_1)
    for line in lines:
        replay.feed(line)
    return replay.observe()


def types(events: Sequence[dict[str, Any]]) -> list[str]:
    """What happened, without the details."""
    return [event["type"] for event in events]


def mention(session_id: str, label: str | None = None) -> str:
    """A mention as an editor writes it."""
    return format_mention(session_id, label)
