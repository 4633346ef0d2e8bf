"""All problems of a prompt, given what the store knows (docs/diagnostics.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from dsh_lsp.core.checks import mention_checks, source_checks, target_checks
from dsh_lsp.core.checks.mentioned import Mentioned, mentioned
from dsh_lsp.core.checks.missing_files import missing_files
from dsh_lsp.core.failures import BudgetExceededError, ReadFailedError
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.measure import Measurements
from dsh_lsp.core.problem import Problem, Severity, in_document_order
from dsh_lsp.core.prompt import Prompt

MOST_READ = 32
"""Distinct sources that a check reads. Those beyond the limit are read as well, so that all broken
ones show at once; but a prompt of a thousand mentions must not open a thousand logs."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found for one prompt.

    `sources` maps each mentioned id to its surface or to why it could not be read; an id that has
    not been looked up yet is absent and draws no problem. `missing_paths` are those of
    `missing_files.paths_to_look_up` that name nothing below `folder`. `target_is_not_in` names,
    for people, the place that would have the target and certainly does not; `missing_cwd` says how
    much it matters that the front matter's `cwd` is no folder, and `refuses_commands` whether the
    harness takes no prompt that begins with a slash command.
    """

    target_id: str | None
    sources: Mapping[str, Surface | ReadFailedError]
    limits: Limits
    missing_paths: frozenset[str] = frozenset()
    folder: str = ""
    target_is_not_in: str | None = None
    missing_cwd: Severity | None = None
    refuses_commands: bool = False


@dataclass(frozen=True, slots=True)
class Checks:
    """Which of the checks that can be switched off are on."""

    truncated: bool = True
    stale_label: bool = True
    file_not_found: bool = True
    duplicate: bool = True
    credential: bool = True


ALL_CHECKS = Checks()


def needed(prompt: Prompt, *, target_id: str | None) -> tuple[str, ...]:
    """The session ids that must be read to check or prepare a prompt, in order, without repeats.

    At most `MOST_READ`.
    """
    ids = dict.fromkeys([mention.session_id for mention in prompt.mentions])
    sources = (each for each in ids if each is not None and each != target_id)
    return tuple(islice(sources, MOST_READ))


def diagnose(
    prompt: Prompt,
    facts: Facts,
    *,
    checks: Checks = ALL_CHECKS,
    measurements: Measurements | None = None,
) -> tuple[Problem, ...]:
    """Every problem, in document order: those of the prompt itself and those of its sources.

    `measurements` remember what was measured for an earlier state of the prompt.
    """
    where = mentioned(prompt, facts.target_id)
    found = [
        *prompt.problems,
        *_target_problems(prompt, facts),
        *_mention_problems(where, facts, checks),
        *_source_problems(where, facts),
        *_snapshot_problems(where, facts, checks, measurements or Measurements()),
    ]
    if checks.file_not_found:
        found += missing_files(prompt, facts.missing_paths, facts.folder)
    return in_document_order(found)


def _target_problems(prompt: Prompt, facts: Facts) -> Iterator[Problem]:
    if facts.target_is_not_in is not None:
        yield target_checks.unknown_target(prompt, facts.target_is_not_in)
    if facts.missing_cwd is not None:
        yield target_checks.cwd_not_found(prompt, facts.missing_cwd)
    command = target_checks.slash_command(prompt) if facts.refuses_commands else None
    if command is not None:
        yield command


def _mention_problems(where: Mentioned, facts: Facts, checks: Checks) -> Iterator[Problem]:
    display_titles = {
        session_id: source.display_title
        for session_id, source in facts.sources.items()
        if isinstance(source, Surface)
    }
    yield from mention_checks.self_references(where)
    yield from mention_checks.too_many(where, facts.limits.max_references)
    if checks.duplicate:
        yield from mention_checks.duplicates(where, display_titles)
    if checks.stale_label:
        yield from mention_checks.stale_labels(where, display_titles)


def _source_problems(where: Mentioned, facts: Facts) -> Iterator[Problem]:
    for session_id, mentions in where.sources.items():
        source = facts.sources.get(session_id)
        if isinstance(source, ReadFailedError):
            yield from source_checks.read_failed(mentions, source)
        elif source is not None:
            yield from source_checks.unknown_events(mentions[0], source)


def _snapshot_problems(
    where: Mentioned, facts: Facts, checks: Checks, measurements: Measurements
) -> Iterator[Problem]:
    for session_id, mentions in where.counting(facts.limits.max_references):
        first = mentions[0]  # its label is the one that is sent
        surface = facts.sources.get(session_id)
        if not isinstance(surface, Surface):
            continue
        snapshot = measurements.measure(surface, first.label, facts.limits.max_reference_bytes)
        if isinstance(snapshot, BudgetExceededError):
            yield from source_checks.budget_exceeded(mentions, snapshot)
            continue
        if checks.truncated:
            yield from source_checks.truncated(first, snapshot)
        if checks.credential:
            yield from source_checks.possible_credential(first, snapshot, measurements)
