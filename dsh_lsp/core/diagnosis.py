"""All problems of a prompt, given what the store knows (docs/diagnostics.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.prepare import Limits
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.surface import Surface


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found for one prompt.

    `sources` maps each mentioned id to its surface or to why it could not be read; an id that has
    not been looked up yet is absent and draws no problem. `missing_paths` are path mentions that
    name nothing.
    """

    target_id: str | None
    sources: Mapping[str, Surface | ReadFailedError]
    limits: Limits
    missing_paths: frozenset[str] = frozenset()


def needed(prompt: Prompt, *, target_id: str | None) -> tuple[str, ...]:
    """The session ids that must be read to check or prepare a prompt, in order, without repeats."""
    raise NotImplementedError


def diagnose(prompt: Prompt, facts: Facts) -> tuple[Problem, ...]:
    """Every problem, in document order: those of the prompt itself and those of its sources."""
    raise NotImplementedError
