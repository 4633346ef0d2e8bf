"""A session store on disk as a `SessionQuery` (docs/storage.md). Only ever reads."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from dsh_lsp.core.event_types import KIND, TypeRule
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.surface import Surface
from dsh_lsp.sessions.cache import RevisionCache
from dsh_lsp.sessions.inventory import Inventory
from dsh_lsp.sessions.logfile import Stop, StoppedError
from dsh_lsp.sessions.query import Listing, SessionTitle
from dsh_lsp.sessions.reading import read_surface, read_title
from dsh_lsp.sessions.scan import FoundLog
from dsh_lsp.sessions.threads import in_thread

TITLE_READERS = 4
"""Logs that are read for their titles at the same time."""

SURFACE_MEMORY = 64 << 20
"""About how many bytes of surfaces are kept."""

CONTEXT_LOGS = 8
"""How many of the newest sessions are asked for the context window of a store."""

_KEPT_TITLES = 200_000
_NODE = 2_000

_LASTING = {
    *(ReadFault.CORRUPT, ReadFault.UNKNOWN_EVENT),
    *(ReadFault.OLD_FORMAT, ReadFault.NEWER_FORMAT),
}
"""Faults that stay until the file changes."""


class SessionStore:
    """The sessions below one folder, `$DSH_HOME/sessions`; every layout and format.

    What has been read is kept by the revision of its file, so that asking again for a log that did
    not change reads nothing. Every call may be cancelled and settles at once.
    """

    def __init__(
        self, root: Path, *, rule: TypeRule = KIND, title_readers: int = TITLE_READERS
    ) -> None:
        self._rule = rule
        self._inventory = Inventory(root)
        self._title_readers = title_readers
        self._titles: RevisionCache[SessionTitle | ReadFailedError] = RevisionCache(_KEPT_TITLES)
        self._surfaces: RevisionCache[Surface | ReadFailedError] = RevisionCache(SURFACE_MEMORY)

    async def list_sessions(self) -> Listing:
        """All sessions; reads headers only. A listing that was just taken may answer."""
        return await in_thread(lambda _: self._inventory.listing())

    async def refresh(self) -> Listing:
        """All sessions, as they are now."""
        return await in_thread(lambda _: self._inventory.refresh())

    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        """Titles folded from the logs. A session whose title cannot be read is left out."""
        logs = await in_thread(lambda _: self._inventory.logs())
        titles: dict[str, SessionTitle] = {}
        queue: deque[tuple[str, FoundLog]] = deque()
        for session_id in dict.fromkeys(session_ids):
            log = logs.get(session_id)
            if log is None:
                continue
            kept = self._titles.get(log.path, log.revision)
            if kept is None:
                queue.append((session_id, log))
            elif isinstance(kept, SessionTitle):
                titles[session_id] = kept

        async def read_next() -> None:
            titles.update(await in_thread(partial(self._fold_titles, queue)))

        async with anyio.create_task_group() as group:
            for _ in range(min(self._title_readers, len(queue))):
                group.start_soon(read_next)
        return titles

    async def read_surface(self, session_id: str) -> Surface:
        """One consistent observation. Raises `ReadFailedError` with its reason."""
        return await in_thread(partial(self._read_surface, session_id))

    async def latest_context_window(self) -> int | None:
        """The context window, in tokens, that the newest session with one tells.

        Looks into the newest `CONTEXT_LOGS` logs only.
        """
        listing = await self.list_sessions()
        for entry in listing.sessions[:CONTEXT_LOGS]:
            try:
                surface = await self.read_surface(entry.header.id)
            except ReadFailedError:
                continue
            if surface.context_window is not None:
                return surface.context_window
        return None

    def _fold_titles(
        self, queue: deque[tuple[str, FoundLog]], stop: Stop
    ) -> dict[str, SessionTitle]:
        """The titles of the logs that this thread takes from the queue, until nothing is left."""
        titles: dict[str, SessionTitle] = {}
        while not stop.is_set():
            try:
                session_id, log = queue.popleft()
            except IndexError:
                break
            title = self._read_title(log, stop)
            if title is not None:
                titles[session_id] = title
        return titles

    def _read_title(self, log: FoundLog, stop: Stop) -> SessionTitle | None:
        try:
            title, revision = read_title(log.path, log.name, self._rule, stop)
        except ReadFailedError as error:
            if error.reason in _LASTING:
                self._titles.put(log.path, log.revision, error.with_traceback(None))
            return None
        except StoppedError:
            return None
        self._titles.put(log.path, revision, title)
        return title

    def _read_surface(self, session_id: str, stop: Stop) -> Surface:
        log = self._inventory.find(session_id)
        kept = self._surfaces.get(log.path, log.revision)
        if isinstance(kept, ReadFailedError):
            raise ReadFailedError(kept.message, kept.reason)
        if kept is not None:
            return kept
        try:
            surface, revision = read_surface(log.path, log.name, self._rule, stop)
        except ReadFailedError as error:
            if error.reason in _LASTING:
                kept = ReadFailedError(error.message, error.reason)
                self._surfaces.put(log.path, log.revision, kept)
            raise
        self._surfaces.put(log.path, revision, surface, _weigh(surface))
        return surface


def _weigh(surface: Surface) -> int:
    """About how many bytes of memory a surface takes: its text, and the objects around it."""
    return sum(_NODE + _text_length(node.get("data")) for node in surface.nodes)


def _text_length(data: Any) -> int:
    message = data.get("message", data) if isinstance(data, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else ()
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return sum(len(text) for text in texts if isinstance(text, str))
