"""The part of a prompt that a command is about: all that is sent, or a selected range of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span


def part_of(prompt: Prompt, span: Span) -> Prompt:
    """The prompt whose body is `span` of the original body; offsets stay those of the document.

    Front matter holds for every part. A span whose ends cut a mention in two has an error.
    """
    start = max(span.start, prompt.body_start)
    end = max(start, span.end)
    inside = Span(start, end)
    cut = [
        mention.span
        for mention in prompt.mentions
        if any(mention.span.start < edge < mention.span.end for edge in (start, end))
    ]
    return replace(
        prompt,
        text=prompt.text[:end],
        body_start=start,
        mentions=tuple(each for each in prompt.mentions if _within(each.span, inside)),
        unclosed=tuple(each for each in prompt.unclosed if _within(each.span, inside)),
        paths=tuple(each for each in prompt.paths if _within(each.span, inside)),
        problems=(*_problems(prompt, inside), *(_cut_problem(each) for each in cut)),
    )


def _problems(prompt: Prompt, inside: Span) -> Iterable[Problem]:
    """The problems inside the part, and those of the front matter."""
    return (
        problem
        for problem in prompt.problems
        if _within(problem.span, inside) or problem.span.end <= prompt.body_start
    )


def _within(span: Span, outer: Span) -> bool:
    return outer.start <= span.start and span.end <= outer.end


def _cut_problem(span: Span) -> Problem:
    return Problem(
        "cut-mention",
        Severity.ERROR,
        span,
        "The selection ends inside this mention; select all of it, or none.",
    )
