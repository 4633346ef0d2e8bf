"""A harness in this process: an own store, an agent loop, and no model needed (docs/harness.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import TracebackType
from typing import Self

import anyio.to_thread

from dsh_lsp import __version__
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.events import Event
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.harness.embedded import draft
from dsh_lsp.harness.embedded.admission import admit
from dsh_lsp.harness.embedded.ambient import Clock, NewId, random_id, system_clock
from dsh_lsp.harness.embedded.background import Background
from dsh_lsp.harness.embedded.compactor import Compactor
from dsh_lsp.harness.embedded.driver import Driver
from dsh_lsp.harness.embedded.inbox import Inbox
from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.embedded.livequery import LiveQuery
from dsh_lsp.harness.embedded.loop import Loop
from dsh_lsp.harness.embedded.prestep import PreStepListener
from dsh_lsp.harness.embedded.recall import RecallListener
from dsh_lsp.harness.embedded.responder import Acknowledger, Responder
from dsh_lsp.harness.embedded.roster import Roster
from dsh_lsp.harness.embedded.stored import read_events, stored_ledger
from dsh_lsp.harness.embedded.title import given_title
from dsh_lsp.harness.embedded.transcript import Entry, replay
from dsh_lsp.harness.port import (
    Description,
    HarnessError,
    Outgoing,
    Receipt,
    UnknownRequestError,
)
from dsh_lsp.sessions.merged import MergedQuery
from dsh_lsp.sessions.query import Listing, SessionQuery, SessionTitle
from dsh_lsp.sessions.references import SessionReferenceResolver
from dsh_lsp.sessions.store import SessionStore

NAME = "dsh-lsp embedded"


class EmbeddedHarness:
    """Records prompts in a store of its own under `root`, in format 4 (docs/storage.md).

    It is a `Harness` for sending and a `SessionQuery` over its own sessions: an open one is read
    from memory, the others from their logs. `sources` are read for the other sessions that a
    prompt mentions. `listeners` stand between the reference service, which is the outermost, and
    the step; the first of them is the outer one.

    Nothing happens before the first call. `aclose` ends everything; so does the end of a block
    `async with harness:`. Turns run in the background, each session's one after another.
    """

    def __init__(
        self,
        root: Path,
        *,
        sources: Sequence[SessionQuery] = (),
        limits: Limits | None = None,
        listeners: Sequence[PreStepListener] = (),
        responder: Responder | None = None,
        clock: Clock = system_clock,
        new_id: NewId = random_id,
    ) -> None:
        self.store = root / "sessions"
        """The folder of its sessions, as `SessionStore` takes it."""
        self._limits = limits or Limits()
        self._new_id = new_id
        answerer = responder or Acknowledger()
        self._roster = Roster(self.store, clock, new_id)
        self._own = MergedQuery(LiveQuery(self._roster.live), SessionStore(self.store))
        resolver = SessionReferenceResolver(MergedQuery(self, *sources), limits=self._limits)
        recall = RecallListener(resolver, new_id)
        self._loop = Loop((recall, *listeners), answerer, clock, new_id)
        self._compactor = Compactor(answerer, new_id)
        self._drivers: dict[str, Driver] = {}
        self._background = Background()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End running turns as interrupted and give all sessions up. What waits stays waiting."""
        await self._background.aclose()
        await self._roster.close()

    async def describe(self) -> Description:
        """Its name, version and byte budget."""
        return Description(NAME, __version__, self._limits.max_reference_bytes)

    async def create_session(self, cwd: str | None) -> str:
        """Begin a session; `cwd` is absolute or None. Raises `HarnessError`."""
        if cwd is not None and not _is_absolute(cwd):
            raise HarnessError("the working directory of a session must be an absolute path")
        await self._background.ready()
        return (await self._roster.create(cwd)).header.id

    async def has_session(self, session_id: str) -> bool:
        """Whether a session is open here or lies in the store, in the format that goes on here."""
        if session_id in self._roster.live:
            return True
        try:
            await self._roster.find(session_id)
        except HarnessError:
            return False
        return True

    async def resolves_references(self) -> bool | None:
        """It always does."""
        return True

    async def send(self, outgoing: Outgoing) -> None:
        """Return when the prompt is in the session's log; its turn runs in the background.

        Raises `UnknownSessionError` and `HarnessError`. A request that was accepted before is not
        taken again, but what waits is woken.
        """
        driver = await self._driver(outgoing.session_id)
        session = driver.session
        await session.record_from(
            lambda _: admit(session.ledger, outgoing, self._new_id()), then=driver.wake
        )

    async def receipt(self, session_id: str, request_id: str) -> Receipt:
        """What has become of a prompt; a stored session is only read. Raises `HarnessError`."""
        receipt = (await self._ledger(session_id)).receipt(request_id)
        if receipt is None:
            raise UnknownRequestError("no prompt with this request id was accepted in this session")
        return receipt

    async def list_sessions(self) -> Listing:
        """Its sessions. That none has been made yet is no fault."""
        if not self.store.is_dir():
            return Listing(())
        return await self._own.list_sessions()

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        """The titles of its own among these sessions."""
        return await self._own.read_titles(session_ids)

    async def read_surface(self, session_id: str) -> Surface:
        """The surface of a session; an open one as it is now, its turn still running.

        Raises `ReadFailedError`.
        """
        return await self._own.read_surface(session_id)

    async def inbox(self, session_id: str) -> Inbox:
        """What waits in a session; a stored one is only read. Raises `HarnessError`."""
        return (await self._ledger(session_id)).inbox

    async def edit(self, session_id: str, message_id: str, text: str) -> None:
        """Let a waiting message say something else. Raises `HarnessError` when it is taken."""
        session = (await self._driver(session_id)).session
        await session.record_from(
            lambda _: draft.spliced(session.ledger.inbox.edit(message_id, text))
        )

    async def remove(self, session_id: str, message_id: str) -> None:
        """Drop a waiting message. Raises `HarnessError` when it is taken."""
        session = (await self._driver(session_id)).session
        await session.record_from(lambda _: draft.spliced(session.ledger.inbox.remove(message_id)))

    async def steer(self, session_id: str, message_id: str) -> None:
        """Let a waiting message enter the next step. Raises `HarnessError` when it is taken."""
        driver = await self._driver(session_id)
        session = driver.session
        await session.record_from(
            lambda _: draft.spliced(session.ledger.inbox.steer(message_id)), then=driver.wake
        )

    async def cancel(self, session_id: str) -> None:
        """End a session's running turn; what waits goes on waiting until the next prompt."""
        driver = self._drivers.get(session_id)
        if driver is not None:
            driver.cancel()

    async def idle(self, session_id: str) -> None:
        """Return when no turn of a session runs and none is about to."""
        driver = self._drivers.get(session_id)
        if driver is not None:
            await driver.idle()

    async def rename(self, session_id: str, title: str) -> str:
        """Name a session; its title as it was recorded. Raises `HarnessError`."""
        given = given_title(title)
        if not given:
            raise HarnessError("a title needs at least one visible character")
        session = (await self._driver(session_id)).session
        await session.record(draft.title(given, message_seqs=(), source="user"))
        return given

    async def compact(self, session_id: str, summary: str | None = None) -> int:
        """Replace the older part of a conversation by a summary, given or of the responder.

        Returns how many messages it replaced. Raises `HarnessError`.
        """
        session = (await self._driver(session_id)).session
        return await self._compactor.compact(session, summary)

    async def transcript(self, session_id: str) -> tuple[Entry, ...]:
        """A session's log as a person reads it; a stored one is only read."""
        return replay(await self._events(session_id))

    async def _ledger(self, session_id: str) -> Ledger:
        session = self._roster.live.get(session_id)
        if session is not None:
            return session.ledger
        return stored_ledger(await self._events(session_id))

    async def _events(self, session_id: str) -> tuple[Event, ...]:
        found = await self._roster.find(session_id)
        return await anyio.to_thread.run_sync(read_events, found)

    async def _driver(self, session_id: str) -> Driver:
        await self._background.ready()
        session = await self._roster.attach(session_id)
        driver = self._drivers.get(session_id)
        if driver is None or driver.session is not session:
            driver = self._drivers[session_id] = Driver(session, self._loop, self._background)
        return driver


def _is_absolute(cwd: str) -> bool:
    return PurePosixPath(cwd).is_absolute() or PureWindowsPath(cwd).is_absolute()
