"""What checking one file gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dsh_lsp.core.problem import Problem, Severity

FAILING = (Severity.ERROR, Severity.WARNING)
"""Severities that make `check` exit with 1."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One file: its text and its problems, or why it could not be read. `path` is untrusted."""

    path: str
    text: str
    problems: tuple[Problem, ...]
    unreadable: str | None = None

    @property
    def fails(self) -> bool:
        """Whether any problem is an error or a warning."""
        return any(problem.severity in FAILING for problem in self.problems)


def counts(results: Iterable[CheckResult]) -> dict[Severity, int]:
    """How many problems there are of each severity."""
    found = Counter(problem.severity for result in results for problem in result.problems)
    return {severity: found[severity] for severity in Severity}
