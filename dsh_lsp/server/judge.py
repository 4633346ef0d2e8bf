"""The problems of the open documents, found again only when something they rest on has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from dsh_lsp.core.checks.diagnosis import Facts, diagnose
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.measure import Measurements
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.text import Unit
from dsh_lsp.server.budgets import budget_of, limits_of
from dsh_lsp.server.checks import checks_of, gather
from dsh_lsp.server.convert import Shown, shown_problems
from dsh_lsp.server.documents import Document
from dsh_lsp.server.most_important import most_important
from dsh_lsp.server.state import State
from dsh_lsp.settings import DiagnosticSettings


@dataclass(frozen=True, slots=True)
class Judgement:
    """The problems of one version of a document, those of them that are shown, and the grounds."""

    document: Document
    facts: Facts
    settings: DiagnosticSettings
    problems: tuple[Problem, ...]
    shown: tuple[Shown, ...]


class Judge:
    """Judges documents, and remembers the latest judgement of each that is open.

    Finding out the facts is cheap when nothing has changed; what follows from them is not.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._latest: dict[str, Judgement] = {}
        self._one_at_a_time = asyncio.Lock()

    async def in_full(self, document: Document) -> Judgement:
        """Read what must be read, and judge."""
        await self._state.read(document)
        scene = self._state.scene(document)
        limits = limits_of(scene, await budget_of(scene))
        return await self._judge(document, await gather(document.prompt, scene, limits))

    async def as_known(self, document: Document) -> Judgement:
        """Judge by what was found out for the latest judgement."""
        await self._state.read(document)
        scene = self._state.scene(document)
        latest = self._latest.get(document.uri)
        blank = Facts(None, {}, Limits(scene.settings.references.max_references))
        facts = blank if latest is None else latest.facts
        return await self._judge(document, replace(facts, target_id=scene.target.session_id))

    def forget(self, uri: str) -> None:
        """A document was closed."""
        self._latest.pop(uri, None)

    async def _judge(self, document: Document, facts: Facts) -> Judgement:
        if not document.is_long:
            return self._latest_on(document, facts) or self._keep(self._work(document, facts)())
        async with self._one_at_a_time:  # so that two who ask the same find the first one's answer
            latest = self._latest_on(document, facts)
            if latest is not None:
                return latest
            return self._keep(await self._state.aside.run(self._work(document, facts)))

    def _latest_on(self, document: Document, facts: Facts) -> Judgement | None:
        """The latest judgement, if it was made on these grounds."""
        latest = self._latest.get(document.uri)
        if latest is None or latest.document is not document or latest.facts != facts:
            return None
        return latest if latest.settings == self._state.settings.diagnostics else None

    def _work(self, document: Document, facts: Facts) -> Callable[[], Judgement]:
        settings, unit = self._state.settings.diagnostics, self._state.client.unit
        measurements = self._state.memory.measurements
        return partial(_judgement, document, facts, settings, measurements, unit)

    def _keep(self, found: Judgement) -> Judgement:
        if found.document.uri in self._state.documents:
            self._latest[found.document.uri] = found
        return found


def _judgement(
    document: Document,
    facts: Facts,
    settings: DiagnosticSettings,
    measurements: Measurements,
    unit: Unit,
) -> Judgement:
    problems = diagnose(
        document.prompt, facts, checks=checks_of(settings), measurements=measurements
    )
    wanted = most_important(problems) if settings.enabled else ()
    return Judgement(document, facts, settings, problems, shown_problems(document, wanted, unit))
