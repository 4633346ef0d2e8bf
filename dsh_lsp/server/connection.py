"""One editor's connection: its state, and the parts that answer out of turn."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from dsh_lsp.server.configuration import SECTION
from dsh_lsp.server.diagnostics import Diagnostics, Outlet
from dsh_lsp.server.progress import Progress
from dsh_lsp.server.services import Connect
from dsh_lsp.server.state import State, leave
from dsh_lsp.server.warming import TITLE, Warming
from dsh_lsp.settings import SettingFault

if TYPE_CHECKING:
    from dsh_lsp.server.protocol import Protocol

CLIENT_SECONDS = 3.0
"""How long the editor may take to answer a request of ours."""

START_SECONDS = 0.25
"""How long the editor's first questions have the processor before anything is done unasked."""

_log = logging.getLogger("dsh_lsp.server")


class Connection:
    """What the handlers work with."""

    def __init__(
        self, connect: Connect, protocol: Protocol, defaults: Mapping[str, Any] | None
    ) -> None:
        self.state = State(connect, defaults)
        self.protocol = protocol
        self.diagnostics = Diagnostics(self.state, Outlet(self._publish, self._refresh))
        self.completing: dict[str, asyncio.Task[Any]] = {}
        self.commands: dict[int | str, asyncio.Task[Any]] = {}  # by progress token
        self._watching: asyncio.Task[None] | None = None
        self._tending: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._configuring = 0
        self._configured = asyncio.Event()
        self._configured.set()
        self._one_at_a_time = asyncio.Lock()

    def when_ready(self, handler: Callable[[Any], Any], params: Any) -> Any:
        """The handler's answer, once the settings that the editor is about to say are there, and
        the document has been read that the question is about. Some do not say, and wait for all.
        """
        uri = getattr(getattr(params, "text_document", None), "uri", None)
        if self._configured.is_set() and self.state.unread(uri) is None:
            return handler(params)
        return self._later(handler, params, uri)

    async def _later(self, handler: Callable[[Any], Any], params: Any, uri: str | None) -> Any:
        await self._configured.wait()
        while (document := self.state.unread(uri)) is not None:
            await self.state.read(document)
        answer = handler(params)
        return await answer if inspect.isawaitable(answer) else answer

    async def ask(self, method: str, params: Any) -> Any:
        """A request to the editor, given up after a while."""
        answer = self.protocol.send_request_async(method, params)
        return await asyncio.wait_for(answer, CLIENT_SECONDS)

    def show(self, faults: tuple[SettingFault, ...]) -> None:
        """Tell of settings that could not be read, in one message."""
        if faults:
            told = "\n".join(f"{fault.path}: {fault.message}" for fault in faults)
            self.protocol.notify(
                types.WINDOW_SHOW_MESSAGE,
                types.ShowMessageParams(types.MessageType.Warning, f"dsh-lsp settings\n{told}"),
            )

    def opened(self) -> Awaitable[None]:
        """The editor is ready: take its configuration, and follow the store."""
        if self.state.client.pulls_configuration:
            return self._follow_editor(self.configure(self.pulled_configuration()))
        return self._follow_editor(None)

    async def _follow_editor(self, configured: Awaitable[None] | None) -> None:
        if configured is not None:
            await configured
        self._watch()
        if self.state.client.registers_configuration:
            registration = types.Registration(
                "dsh-configuration",
                types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                types.DidChangeConfigurationRegistrationOptions(section=SECTION),
            )
            with contextlib.suppress(Exception):  # an editor that refuses tells of no changes
                await self.ask(
                    types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration])
                )

    async def pulled_configuration(self) -> Any:
        """The section as the editor gives it; None when it gives nothing."""
        item = types.ConfigurationItem(section=SECTION)
        try:
            found = await self.ask(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams([item]))
        except Exception as fault:
            _log.warning("asking for the configuration failed with %s", type(fault).__name__)
            return None
        return found[0] if found else None

    def configure(self, configuration: Awaitable[Any]) -> Awaitable[None]:
        """Take over a configuration when it comes; from now on questions wait for it."""
        self._configuring += 1
        self._configured.clear()
        return self._configure(configuration)

    async def _configure(self, configuration: Awaitable[Any]) -> None:
        services = self.state.services
        try:
            async with self._one_at_a_time:
                self.show(await self.state.configure(await configuration))
        finally:
            self._configuring -= 1
            if not self._configuring:
                self._configured.set()
        if self.state.services is not services:
            self._watch()
        self.diagnostics.recheck()

    async def close(self) -> None:
        """End everything that still runs."""
        followed = (self._watching, self._tending, self._warming)
        running = [*self.completing.values(), *self.commands.values(), *followed]
        for task in running:
            if task is not None:
                task.cancel()
        self.diagnostics.stop()
        self.state.aside.close()
        await leave(self.state.services)

    def _watch(self) -> None:
        """Follow the store and the outbox of the present services, and read titles ahead."""
        for task in (self._watching, self._tending, self._warming):
            if task is not None:
                task.cancel()
        warming = Warming(self.state.services.warm, self._main_folder)
        self._watching = asyncio.ensure_future(self._follow(warming))
        self._tending = asyncio.ensure_future(self._tend())
        self._warming = asyncio.ensure_future(self._read_ahead(warming))

    async def _follow(self, warming: Warming) -> None:
        changes = self.state.services.changes
        if changes is None:
            return
        await asyncio.sleep(START_SECONDS)
        self.diagnostics.sessions_changed()  # since the first check, perhaps: nobody looked so far
        try:
            async for _ in changes():
                self.diagnostics.sessions_changed()
                warming.again()
        except Exception as fault:
            _log.warning("watching the sessions failed with %s", type(fault).__name__)

    async def _read_ahead(self, warming: Warming) -> None:
        await asyncio.sleep(START_SECONDS)
        await warming.run(self._show_reading)

    def progress(self, title: str, token: int | str | None) -> Progress:
        """A progress that begins with the client's token, or with one of ours after a while."""

        def create(token: int | str) -> Awaitable[object]:
            method = types.WINDOW_WORK_DONE_PROGRESS_CREATE
            return self.ask(method, types.WorkDoneProgressCreateParams(token))

        def notify(step: types.ProgressParams) -> None:
            self.protocol.notify(types.PROGRESS, step)

        return Progress(title, token, create if self.state.client.progress else None, notify)

    def _main_folder(self) -> str | None:
        return next(iter(self.state.folders.paths), None)

    def _show_reading(self, reading: asyncio.Task[None]) -> Progress:
        progress = self.progress(TITLE, None)
        self.commands[progress.token] = reading
        reading.add_done_callback(lambda _: self.commands.pop(progress.token, None))
        return progress

    async def _tend(self) -> None:
        """Tell what becomes of prompts that no command waits for any more."""
        await asyncio.sleep(START_SECONDS)
        from dsh_lsp.server.outcome import needs_attention, news_message

        try:
            async for items in self.state.services.delivery.news():
                worrying = needs_attention(items)
                kind = types.MessageType.Warning if worrying else types.MessageType.Info
                self.protocol.notify(
                    types.WINDOW_SHOW_MESSAGE,
                    types.ShowMessageParams(kind, news_message(items, self.state.client.outbox)),
                )
        except Exception as fault:
            _log.warning("looking after the outbox failed with %s", type(fault).__name__)

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def _refresh(self) -> Awaitable[object]:
        return self.ask(types.WORKSPACE_DIAGNOSTIC_REFRESH, None)
