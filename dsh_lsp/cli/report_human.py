"""The answer of `check` for people: each problem with the line that it is in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from dsh_lsp.cli.check_result import CheckResult, counts
from dsh_lsp.cli.excerpt import excerpt
from dsh_lsp.cli.prompt_file import STANDARD_INPUT
from dsh_lsp.core.display import one_line
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.text import LineIndex, Span, Unit

_COLOURS = {
    Severity.ERROR: "1;31",
    Severity.WARNING: "1;33",
    Severity.INFORMATION: "1;34",
    Severity.HINT: "1;36",
}

_NO_PLACE = Span(0, 0)
"""Of a problem that is about no part of the text."""


@dataclass(frozen=True, slots=True)
class Style:
    """Whether a terminal shows colours."""

    colours: bool

    def paint(self, text: str, code: str) -> str:
        """`text` in an ANSI colour, where there are colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours else text


def style_for(stream: TextIO) -> Style:
    """Colours on a terminal, unless NO_COLOR asks for none."""
    return Style(stream.isatty() and not os.environ.get("NO_COLOR"))


def report(results: Sequence[CheckResult], style: Style) -> str:
    """Every problem with its source line, its fixes, and a summary at the end."""
    blocks = [block for result in results for block in _blocks(result, style)]
    return "\n".join([*blocks, _summary(results)]) + "\n"


def _blocks(result: CheckResult, style: Style) -> Iterator[str]:
    if result.unreadable is not None:
        yield f"{style.paint('error', _COLOURS[Severity.ERROR])}: {result.unreadable}\n"
        return
    yield from problem_blocks(result, style)


def problem_blocks(result: CheckResult, style: Style) -> Iterator[str]:
    """Each problem of a file, in lines that are closed."""
    lines = LineIndex(result.text)
    for problem in result.problems:
        yield "".join(f"{line}\n" for line in _problem(result, problem, lines, style))


def _problem(
    result: CheckResult, problem: Problem, lines: LineIndex, style: Style
) -> Iterator[str]:
    line, column = lines.position(problem.span.start, Unit.UTF32)
    colour = _COLOURS[problem.severity]
    heading = style.paint(f"{problem.severity}[{problem.code}]", colour)
    yield f"{heading}: {one_line(problem.message)}"
    if problem.span == _NO_PLACE:
        return
    yield f"  --> {_name(result.path)}:{line + 1}:{column + 1}"
    shown = excerpt(result.text, problem.span, lines)
    gutter = " " * len(str(line + 1))
    yield f" {gutter} |"
    yield f" {line + 1} | {shown.line}"
    yield f" {gutter} | {' ' * shown.indent}{style.paint('^' * shown.width, colour)}"
    for place in problem.related:
        at, _ = lines.position(place.span.start, Unit.UTF32)
        yield f" {gutter} = line {at + 1}: {one_line(place.message)}"
    for fix in problem.fixes:
        yield f" {gutter} = fix: {one_line(fix.title)}"


def _name(path: str) -> str:
    return "<stdin>" if path == STANDARD_INPUT else one_line(path)


def _summary(results: Sequence[CheckResult]) -> str:
    files = f"{len(results)} file{'s' * (len(results) != 1)} checked"
    found = [
        f"{count} {severity}{'s' * (count != 1 and severity is not Severity.INFORMATION)}"
        for severity, count in counts(results).items()
        if count
    ]
    unreadable = sum(result.unreadable is not None for result in results)
    if unreadable:
        found.append(f"{unreadable} not readable")
    return f"{files}: {', '.join(found) or 'no problems'}"
