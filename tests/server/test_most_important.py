"""What is shown of very many problems."""

from __future__ import annotations

from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.text import Span
from dsh_lsp.server.most_important import CODE, MOST_SHOWN, most_important


def problem(start: int, severity: Severity) -> Problem:
    return Problem("x", severity, Span(start, start + 1), "")


def test_few_problems_are_all_shown() -> None:
    few = [problem(start, Severity.HINT) for start in range(MOST_SHOWN)]
    assert list(most_important(few)) == few


def test_errors_come_before_others_and_one_problem_counts_the_rest() -> None:
    hints = [problem(start, Severity.HINT) for start in range(MOST_SHOWN)]
    errors = [problem(5_000 + start, Severity.ERROR) for start in range(10)]
    *shown, more = most_important([*hints, *errors])
    assert shown == [*hints[:-10], *errors]
    assert (more.code, more.severity, more.span) == (CODE, Severity.INFORMATION, hints[-10].span)
    assert more.message.startswith("10 more problems are not shown, 0 errors")


def test_hidden_errors_are_an_error() -> None:
    *shown, more = most_important([problem(start, Severity.ERROR) for start in range(1_500)])
    assert len(shown) == MOST_SHOWN
    assert (more.severity, more.span.start) == (Severity.ERROR, MOST_SHOWN)
    assert "500 more problems are not shown, 500 errors" in more.message
