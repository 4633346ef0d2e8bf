"""Diagnostics: pulled by clients that can, pushed to the others, and following the store."""

from __future__ import annotations

import asyncio
import itertools
import logging
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from lsprotocol import types

from dsh_lsp.server.convert import Shown, diagnostics_of
from dsh_lsp.server.documents import Document
from dsh_lsp.server.errand import Errand
from dsh_lsp.server.state import State

if TYPE_CHECKING:
    from dsh_lsp.core.problem import Problem
    from dsh_lsp.server.judge import Judge, Judgement

PAUSE_SECONDS = 0.1
"""How long a push waits for the typing to pause."""

JOIN_SECONDS = 0.02
"""How long changes of sessions, settings and targets wait for others, to be checked with them."""

PATIENCE_SECONDS = 0.2
"""How long a pull waits for the sources, when a later refresh can bring them."""

_log = logging.getLogger("dsh_lsp.server")


@dataclass(frozen=True, slots=True)
class Outlet:
    """How diagnostics reach the editor."""

    publish: Callable[[types.PublishDiagnosticsParams], None]
    refresh: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the editor shows for a document, and the id or version that it knows it by."""

    shown: tuple[Shown, ...]
    result_id: str


class Diagnostics:
    """The problems of the open documents, as the editor has last seen them."""

    def __init__(self, state: State, outlet: Outlet) -> None:
        self._state = state
        self._outlet = outlet
        self._seen: dict[str, _Seen] = {}
        self._ids = map(f"{uuid.uuid4().hex[:8]}-{{}}".format, itertools.count())
        self._checks: dict[str, Errand] = {}
        self._refresh = Errand(self._refresh_if_needed)
        self._questions: set[asyncio.Task[Judgement]] = set()  # the event loop holds tasks weakly

    @cached_property
    def _judge(self) -> Judge:
        from dsh_lsp.server.judge import Judge  # no first completion waits for it

        return Judge(self._state)

    def changed(self, uri: str) -> None:
        """A document was opened or edited. A client that pulls comes by itself."""
        if not self._state.client.pulls_diagnostics:
            self._check_of(uri).restart(PAUSE_SECONDS)

    def closed(self, uri: str) -> None:
        """A document is gone; nothing is shown for it any more."""
        check = self._checks.pop(uri, None)
        if check is not None:
            check.cancel()
        self._judge.forget(uri)
        seen = self._seen.pop(uri, None)
        if seen is not None and not self._state.client.pulls_diagnostics:
            self._outlet.publish(types.PublishDiagnosticsParams(uri, []))

    def recheck(self) -> None:
        """Settings or targets changed: look at all open documents again."""
        for check in self._checks_of_all():
            check.restart(JOIN_SECONDS)

    def sessions_changed(self) -> None:
        """The same, where changes may follow each other without an end: none puts a check off."""
        for check in self._checks_of_all():
            check.ensure(JOIN_SECONDS)

    def stop(self) -> None:
        """End all checks that still run."""
        for check in (*self._checks.values(), self._refresh):
            check.cancel()
        for question in self._questions:
            question.cancel()

    async def pull(
        self, document: Document, previous: str | None
    ) -> types.DocumentDiagnosticReport:
        """The answer to a pull; unchanged when the editor has it already."""
        shown = (await self._judgement(document)).shown
        seen = self._seen.get(document.uri)
        if seen is None or seen.shown != shown:
            seen = self._seen[document.uri] = _Seen(shown, next(self._ids))
        if seen.result_id == previous:
            return types.RelatedUnchangedDocumentDiagnosticReport(seen.result_id)
        items = diagnostics_of(document.uri, shown)
        return types.RelatedFullDocumentDiagnosticReport(items, result_id=seen.result_id)

    async def problems(self, document: Document) -> tuple[Problem, ...]:
        """All problems of a document, or after a while those that are known so far."""
        return (await self._judgement(document)).problems

    async def _judgement(self, document: Document) -> Judgement:
        check = asyncio.ensure_future(self._judge.in_full(document))
        self._questions.add(check)
        check.add_done_callback(self._questions.discard)
        if not self._state.client.refreshes_diagnostics:
            return await check
        try:
            await asyncio.wait({check}, timeout=PATIENCE_SECONDS)
        except asyncio.CancelledError:
            check.cancel()
            raise
        if check.done():
            return check.result()
        check.add_done_callback(self._late)
        return await self._judge.as_known(document)

    def _late(self, check: asyncio.Future[Judgement]) -> None:
        if check.cancelled():
            return
        if (fault := check.exception()) is None:
            self.sessions_changed()
        else:
            _log.warning("a check failed with %s", type(fault).__name__)

    def _checks_of_all(self) -> list[Errand]:
        if not self._state.client.pulls_diagnostics:
            return [self._check_of(uri) for uri in self._state.documents]
        return [self._refresh] if self._state.client.refreshes_diagnostics else []

    def _check_of(self, uri: str) -> Errand:
        return self._checks.setdefault(uri, Errand(partial(self._push, uri)))

    async def _push(self, uri: str) -> None:
        """Publish what is known, and all of it when the sources have been read."""
        document = self._state.documents.get(uri)
        if document is None:
            return
        self._publish(await self._judge.as_known(document))
        self._publish(await self._judge.in_full(document))

    def _publish(self, judgement: Judgement) -> None:
        document = judgement.document
        if self._state.documents.get(document.uri) is not document:
            return
        seen = _Seen(judgement.shown, str(document.version))
        if self._seen.get(document.uri) != seen:
            self._seen[document.uri] = seen
            items = diagnostics_of(document.uri, seen.shown)
            self._outlet.publish(
                types.PublishDiagnosticsParams(document.uri, items, document.version)
            )

    async def _refresh_if_needed(self) -> None:
        """Ask the editor to pull again, if that would show it anything new."""
        for document in list(self._state.documents.values()):
            judgement = await self._judge.in_full(document)
            seen = self._seen.get(document.uri)
            if seen is None or seen.shown != judgement.shown:
                await self._outlet.refresh()
                return
