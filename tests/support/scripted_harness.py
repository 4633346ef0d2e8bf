"""A harness whose every answer a test writes, and a clock that only a test moves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from dsh_lsp.harness.port import (
    Description,
    HarnessError,
    Letter,
    Mode,
    Outgoing,
    Receipt,
    ReceiptState,
    UnknownRequestError,
)

NOT_THERE = UnknownRequestError("no trace of it")
CAPTURED = Receipt(ReceiptState.CAPTURED, message_seq=7)
WAITING = Receipt(ReceiptState.WAITING)


def letter(
    request_id: str = "r1", text: str = "hello", session: str = "s", document: str | None = None
) -> Letter:
    """A prompt without mentions."""
    return Letter(Outgoing(request_id, session, text, Mode.QUEUE), document=document)


@dataclass(slots=True)
class Clock:
    """Unix milliseconds."""

    now: int = 1_000_000

    def __call__(self) -> int:
        return self.now


@dataclass(slots=True)
class ScriptedHarness:
    """`fault` answers a send, `seen` tells what a look finds, the last of it again and again."""

    fault: BaseException | None = None
    seen: list[Receipt | HarnessError] = field(default_factory=lambda: [CAPTURED])
    sent: list[Outgoing] = field(default_factory=list)
    looks: int = 0
    resolves: bool = True
    when_sending: Callable[[], Awaitable[None]] | None = None

    async def describe(self) -> Description:
        return Description("scripted", "1")

    async def create_session(self, cwd: str | None) -> str:
        return "s"

    async def has_session(self, session_id: str) -> bool:
        return True

    async def resolves_references(self) -> bool | None:
        return self.resolves

    async def send(self, outgoing: Outgoing) -> None:
        self.sent.append(outgoing)
        if self.when_sending is not None:
            await self.when_sending()
        if self.fault is not None:
            raise self.fault

    async def receipt(self, session_id: str, request_id: str) -> Receipt:
        self.looks += 1
        found = self.seen[0] if len(self.seen) == 1 else self.seen.pop(0)
        if isinstance(found, HarnessError):
            raise found
        return found
