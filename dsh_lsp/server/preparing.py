"""Preparing a prompt locally: the whole message, or the problems that forbid it."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.mentions import parse
from dsh_lsp.core.prepare import Prepared, accept, prepare
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span
from dsh_lsp.server.checks import gather, problems_of
from dsh_lsp.server.scene import Scene


@dataclass(frozen=True, slots=True)
class Preparation:
    """A prepared part of a prompt. `prepared` is None exactly when an error forbids it."""

    part: Prompt
    prepared: Prepared | None
    problems: tuple[Problem, ...]


async def prepare_part(scene: Scene, part: Prompt, limits: Limits) -> Preparation:
    """Read all sources once, and prepare from exactly what was read."""
    facts = await gather(part, scene, limits)
    problems = problems_of(part, facts, scene)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return Preparation(part, None, problems)
    try:
        text, references = parse(part.body)
        accepted = accept(
            references,
            target_id=scene.target.session_id,
            max_references=limits.max_references,
        )
        surfaces = {
            key: value for key, value in facts.sources.items() if isinstance(value, Surface)
        }
        measure = scene.memory.measurements.measure
        prepared = prepare(text, accepted, surfaces, limits, measure=measure)
    except SessionReferenceError as fault:
        return Preparation(part, None, (refusal(fault.code, fault.message), *problems))
    return Preparation(part, prepared, problems)


def refusal(code: str, message: str) -> Problem:
    """An error about the whole document."""
    return Problem(code, Severity.ERROR, Span(0, 0), message)
