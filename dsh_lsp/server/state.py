"""What one editor's connection holds: documents, folders, settings, choices and services."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.server.absent import unconnected
from dsh_lsp.server.aside import Aside
from dsh_lsp.server.client import Client
from dsh_lsp.server.configuration import merged, rests_on_same
from dsh_lsp.server.documents import Document
from dsh_lsp.server.failures import UnknownDocumentError
from dsh_lsp.server.folders import Folders
from dsh_lsp.server.once import Once
from dsh_lsp.server.scene import Scene, fresh_memory
from dsh_lsp.server.services import Connect, Services
from dsh_lsp.server.target import Choice, decide, read_choice
from dsh_lsp.settings import SettingFault, Settings

_log = logging.getLogger("dsh_lsp.server")


class State:
    """Everything that a connection remembers."""

    def __init__(self, connect: Connect, defaults: Mapping[str, Any] | None = None) -> None:
        self._connect = connect
        self._defaults = defaults
        self._options: Any = None
        self._shown: set[SettingFault] = set()
        self.client = Client()
        self.folders = Folders()
        self.settings = Settings()
        self.setting_faults: tuple[SettingFault, ...] = ()
        self.services: Services = unconnected("the editor has not initialized the server yet")
        self.memory = fresh_memory(self.services)
        self.aside = Aside()
        self.documents: dict[str, Document] = {}
        self.choices: dict[str, Choice] = {}
        self.created: dict[str, str] = {}
        self.sends: Once[dict[str, Any]] = Once(
            lambda result: result["status"] in ("accepted", "unknown")
        )

    def start(self, client: Client, folders: Folders, options: Any) -> tuple[SettingFault, ...]:
        """Begin with what `initialize` told; the faults are those to show."""
        self.client = client
        self.folders = folders
        self._options = options
        self.settings, faults = merged(self._defaults, options)
        return self._new((*faults, *self._connect_services()))

    async def configure(self, now: Any) -> tuple[SettingFault, ...]:
        """Take over the editor's present configuration; the faults are those not shown before."""
        settings, faults = merged(self._defaults, self._options, now)
        before, self.settings = self.settings, settings
        if not rests_on_same(before, settings):
            await close(self.services)  # first, since both may want the same files
            faults = (*faults, *self._connect_services())
        return self._new(faults)

    def document(self, uri: str | None) -> Document:
        """An open document. Raises `UnknownDocumentError`."""
        found = self.documents.get(uri) if uri is not None else None
        if found is None:
            raise UnknownDocumentError
        return found

    async def read(self, document: Document) -> None:
        """Have its prompt read beside the event loop, where it is long and has not been read."""
        if document.is_long and document.known_prompt is None:
            await self.aside.run(lambda: document.prompt)

    def unread(self, uri: str | None = None) -> Document | None:
        """A long document that has not been read: any, or the one of that URI."""
        for document in self.documents.values():
            if document.is_long and document.known_prompt is None and uri in (None, document.uri):
                return document
        return None

    def scene(self, document: Document, argument: Choice | None = None) -> Scene:
        """What a request about a document sees now; `argument` is a target that it names."""
        uri = document.uri
        target = decide(
            argument=argument,
            front_matter=document.prompt.front_matter,
            chosen=self.choices.get(uri),
            setting=self._setting(),
            created=self.created.get(uri),
        )
        folder = self.folders.home_of(uri)
        return Scene(document, target, folder, self.settings, self.services, self.memory)

    def forget(self, uri: str) -> None:
        """A document was closed; what was chosen for it ends with it."""
        for memory in (self.documents, self.choices, self.created):
            memory.pop(uri, None)

    def _setting(self) -> Choice | None:
        named = self.settings.target.session
        try:
            return read_choice(named) if named else None
        except InvalidReferenceError:
            return None  # the reader of the settings has reported it

    def _connect_services(self) -> tuple[SettingFault, ...]:
        try:
            self.services = self._connect(self.settings)
            faults: tuple[SettingFault, ...] = ()
        except Exception as fault:
            _log.warning("connecting failed with %s", type(fault).__name__)
            inside = f"dsh-lsp failed inside with {type(fault).__name__}; please report it"
            reason = str(fault) if isinstance(fault, ValueError) else inside
            self.services = unconnected(f"dsh-lsp could not set itself up: {reason}")
            faults = (SettingFault("dsh", reason),)
        self.memory = fresh_memory(self.services)
        return faults

    def _new(self, faults: Iterable[SettingFault]) -> tuple[SettingFault, ...]:
        self.setting_faults = tuple(faults)
        new = tuple(fault for fault in self.setting_faults if fault not in self._shown)
        self._shown.update(new)
        return new


async def close(services: Services) -> None:
    """Close services that others follow."""
    await _end(services.aclose)


async def leave(services: Services) -> None:
    """Close the last services."""
    await _end(services.aclose)
    await _end(services.leave)


async def _end(call: Callable[[], Awaitable[None]]) -> None:
    """What fails at an end is nothing that anyone could act on."""
    try:
        await call()
    except Exception as fault:
        _log.warning("closing failed with %s", type(fault).__name__)
