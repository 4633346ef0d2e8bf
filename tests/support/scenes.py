"""What a request of the language server sees, made of values, and services that are fakes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from dsh_lsp.core.log.surface import Surface
from dsh_lsp.harness.delivery.delivery import OutboxDelivery
from dsh_lsp.harness.delivery.patience import Patience
from dsh_lsp.harness.delivery.witness import DurableHarness
from dsh_lsp.harness.port import (
    Description,
    FileDetails,
    FoundFile,
    HarnessError,
    Outgoing,
    Receipt,
    ReceiptState,
    UnknownRequestError,
    UnknownSessionError,
)
from dsh_lsp.server.client import Client
from dsh_lsp.server.commands.arguments import read_arguments
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.commands.table import COMMANDS
from dsh_lsp.server.documents import Document
from dsh_lsp.server.folders import Folders
from dsh_lsp.server.scene import Scene
from dsh_lsp.server.services import Services
from dsh_lsp.server.state import State
from dsh_lsp.sessions.query import SessionQuery, SessionTitle
from tests.support.fake_query import FakeQuery, make_entry, make_surface
from tests.support.memory_outbox import MemoryOutbox

URI = "file:///w/prompt.dsh.md"

IMPATIENT = Patience(search=0.0, steady=0.0, recheck=0.0)


class FakeFiles:
    """Files by their paths; a directory ends with `/`. `delay` is how long finding takes."""

    def __init__(self, *paths: str, delay: float = 0.0, fault: Exception | None = None) -> None:
        self.paths = paths
        self.delay = delay
        self.fault = fault
        self.asked: list[tuple[str, str]] = []

    async def find(self, cwd: str, query: str, limit: int) -> Sequence[FoundFile]:
        self.asked.append((cwd, query))
        await asyncio.sleep(self.delay)
        if self.fault:
            raise self.fault
        found = [path for path in self.paths if query in path]
        return [FoundFile(path.rstrip("/"), path.endswith("/")) for path in found][:limit]

    async def details(self, cwd: str, path: str) -> FileDetails | None:
        for known in self.paths:
            if path in (known, known.rstrip("/")):
                return FileDetails(known.endswith("/"), len(known))
        return None


class FakeHarness:
    """Takes everything, and captures it at once, unless told to fail."""

    def __init__(self, *sessions: str, fault: HarnessError | None = None) -> None:
        self.sessions = set(sessions)
        self.fault = fault
        self.sent: list[Outgoing] = []
        self.created: list[str | None] = []
        self.receipts = [Receipt(ReceiptState.CAPTURED, message_seq=7)]
        self.resolves: bool | None = None
        self.before_send: Callable[[], Awaitable[None]] | None = None
        self.describes: Description | HarnessError = Description("fake", "1", 65_536)

    async def describe(self) -> Description:
        if isinstance(self.describes, HarnessError):
            raise self.describes
        return self.describes

    async def create_session(self, cwd: str | None) -> str:
        self.created.append(cwd)
        session_id = f"session-new-{len(self.created)}"
        self.sessions.add(session_id)
        return session_id

    async def has_session(self, session_id: str) -> bool:
        return session_id in self.sessions

    async def resolves_references(self) -> bool | None:
        return self.resolves

    async def send(self, outgoing: Outgoing) -> None:
        if self.before_send is not None:
            await self.before_send()
        if self.fault is not None:
            raise self.fault
        if outgoing.session_id not in self.sessions:
            raise UnknownSessionError("no such session here")
        self.sent.append(outgoing)

    async def receipt(self, session_id: str, request_id: str) -> Receipt:
        if all(each.request_id != request_id for each in self.sent):
            raise UnknownRequestError("no trace of it here")
        return self.receipts[0] if len(self.receipts) == 1 else self.receipts.pop(0)


def query_of(*surfaces: Surface, **unreadable: Exception) -> FakeQuery:
    """A query over sessions, listed in their order."""
    entries = [make_entry(each.header.id, each.header.cwd) for each in surfaces]
    titles = {each.header.id: SessionTitle(each.title, each.label) for each in surfaces}
    known: dict[str, Surface | Exception] = {each.header.id: each for each in surfaces}
    return FakeQuery(entries, titles, {**known, **unreadable})


def two_sessions() -> FakeQuery:
    """Session `a` called `Alpha` and session `b` called `Beta`, both in `/w`."""
    return query_of(
        make_surface("a", "first of alpha", "second of alpha", title="Alpha"),
        make_surface("b", "first of beta", title="Beta"),
    )


def make_state(
    query: SessionQuery | None = None,
    *,
    targets: SessionQuery | None = None,
    files: FakeFiles | None = None,
    harness: FakeHarness | None = None,
    outbox: MemoryOutbox | None = None,
    patience: Patience | None = None,
    settings: Mapping[str, Any] | None = None,
    client: Client | None = None,
    folders: Sequence[str] = ("/w",),
) -> State:
    """A connection's state over fakes, as `initialize` would leave it."""
    harness = harness or FakeHarness()
    delivery = OutboxDelivery(
        harness, outbox or MemoryOutbox(), DurableHarness(harness), patience=patience or IMPATIENT
    )
    services = Services(
        query or two_sessions(),
        harness,
        delivery,
        files or FakeFiles(),
        "memory",
        targets=targets,
    )
    state = State(lambda _settings: services)
    assert state.start(client or Client(), Folders(tuple(folders)), settings) == ()
    return state


def open_document(state: State, text: str, uri: str = URI, version: int = 1) -> Document:
    """Open a document in a state, or replace what is open."""
    document = Document(uri, version, text)
    state.documents[uri] = document
    return document


def make_scene(text: str, query: SessionQuery | None = None, **more: Any) -> Scene:
    """What a request about a document with this text sees."""
    state = make_state(query, **more)
    return state.scene(open_document(state, text))


async def run_command(state: State, name: str, **argument: Any) -> dict[str, Any]:
    """The result of a command; `argument` is what the editor gives it."""

    async def report(_: str) -> None:
        return None

    return await COMMANDS[name](Call(state, read_arguments([argument]), report))
