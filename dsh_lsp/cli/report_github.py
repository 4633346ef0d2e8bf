"""The answer of `check` as workflow commands, which GitHub shows beside the changed lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dsh_lsp.cli.check_result import CheckResult
from dsh_lsp.core.display import one_line
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.text import LineIndex, Unit

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def report(results: Sequence[CheckResult]) -> str:
    """One command a line. A message of several lines stays one command."""
    return "".join(f"{line}\n" for result in results for line in _commands(result))


def _commands(result: CheckResult) -> Iterable[str]:
    if result.unreadable is not None:
        yield _command("error", {"file": result.path}, result.unreadable)
        return
    lines = LineIndex(result.text)
    for problem in result.problems:
        yield _command(
            _LEVELS[problem.severity], _place(result.path, problem, lines), problem.message
        )


def _place(path: str, problem: Problem, lines: LineIndex) -> dict[str, str]:
    line, column = lines.position(problem.span.start, Unit.UTF16)
    end_line, end_column = lines.position(problem.span.end, Unit.UTF16)
    place = {"file": path, "line": str(line + 1), "endLine": str(end_line + 1)}
    if line == end_line:  # GitHub refuses columns of a range over several lines
        place |= {"col": str(column + 1), "endColumn": str(end_column + 1)}
    return place | {"title": problem.code}


def _command(level: str, properties: dict[str, str], message: str) -> str:
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {shown}::{_data(one_line(message))}"


def _data(text: str) -> str:
    """Text for the part behind the second `::`, where `%` would begin an escape."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Text for a property, where a colon or a comma would end it."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
