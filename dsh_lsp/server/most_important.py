"""A bound on what is shown for one document, so that no prompt, however broken, stops an editor."""

from __future__ import annotations

from collections.abc import Sequence

from dsh_lsp.core.problem import Problem, Severity

CODE = "more-problems"

MOST_SHOWN = 1_000
"""Problems shown for one document."""

_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


def most_important(problems: Sequence[Problem]) -> Sequence[Problem]:
    """At most `MOST_SHOWN` problems, errors before others, and one that counts the rest."""
    if len(problems) <= MOST_SHOWN:
        return problems
    order = sorted(range(len(problems)), key=lambda place: _RANKS[problems[place].severity])
    kept = sorted(order[:MOST_SHOWN])
    hidden = [problems[place] for place in order[MOST_SHOWN:]]
    errors = sum(each.severity is Severity.ERROR for each in hidden)
    first = min(hidden, key=lambda each: each.span)
    more = Problem(
        CODE,
        Severity.ERROR if errors else Severity.INFORMATION,
        first.span,
        f"{len(hidden):,} more problems are not shown, {errors:,} errors among them. They show as "
        "those that are shown get solved.",
    )
    return [*(problems[place] for place in kept), more]
