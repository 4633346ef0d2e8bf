"""What became of prompts, as problems and messages for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsh_lsp.core.display import one_line
from dsh_lsp.core.javascript import stringify
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.text import Span
from dsh_lsp.harness.port import Difference, Pending, Receipt, Standing

_SHOWN = 60
"""Characters of a prompt by which people know it again."""


def difference_problems(receipt: Receipt | None) -> tuple[Problem, ...]:
    """A warning for each source that was recorded otherwise than it was prepared."""
    by_source: dict[str, list[Difference]] = {}
    for each in receipt.differences if receipt else ():
        by_source.setdefault(each.session_id, []).append(each)
    return tuple(
        Problem("snapshot-differs", Severity.WARNING, Span(0, 0), _in_words(source, facts))
        for source, facts in by_source.items()
    )


def earlier_problem(waiting: Sequence[Pending]) -> tuple[Problem, ...]:
    """A warning that prompts of before run first."""
    if not waiting:
        return ()
    count = "An earlier prompt waits" if len(waiting) == 1 else f"{len(waiting)} prompts wait"
    message = f"{count} in the queue of this session and will run before this one."
    return (Problem("earlier-prompts", Severity.WARNING, Span(0, 0), message),)


def expanded_here() -> Problem:
    """A warning that the conversation has the snapshots as words of its user."""
    message = (
        "The harness resolves no mentions, so dsh-lsp expanded the prompt: the snapshots are part "
        "of its text."
    )
    return Problem("expanded-here", Severity.WARNING, Span(0, 0), message)


def needs_attention(items: Sequence[Pending]) -> bool:
    """Whether not everything went as it should."""
    return any(
        item.standing is not Standing.CAPTURED or difference_problems(item.receipt)
        for item in items
    )


def news_message(items: Sequence[Pending], outbox: str) -> str:
    """One message about prompts of the outbox. `outbox` is how people open it."""
    lines = list(_lines(items))
    if any(item.standing is not Standing.CAPTURED for item in items):
        lines.append(f"{outbox} lists them, sends one again, or forgets one.")
    return "\n".join(lines)


def _lines(items: Sequence[Pending]) -> Iterator[str]:
    for item in items:
        yield f"dsh-lsp: your prompt “{beginning(item)}”: {item.in_words()}."
        for problem in difference_problems(item.receipt):
            yield problem.message


def beginning(item: Pending) -> str:
    """The first words of a prompt."""
    text = one_line(item.outgoing.text.strip()[: 4 * _SHOWN])
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _in_words(source: str, differences: Sequence[Difference]) -> str:
    facts = ", ".join(
        f"{each.fact} is {stringify(each.recorded)} instead of {stringify(each.predicted)}"
        for each in differences
    )
    return (
        f"The snapshot of session {one_line(source)} was recorded otherwise than prepared: "
        f"{one_line(facts)}."
    )
