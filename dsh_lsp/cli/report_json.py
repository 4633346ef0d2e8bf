"""The answer of `check` as one JSON object (docs/command-line.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from dsh_lsp.cli.check_result import CheckResult, counts
from dsh_lsp.core.problem import Edit, Fix, Problem
from dsh_lsp.core.text import LineIndex, Span, Unit


def report(results: Sequence[CheckResult]) -> str:
    """ASCII JSON and a line end. Lines and columns count from 1, columns in code points."""
    value = {
        "files": [_file(result) for result in results],
        "counts": {str(severity): count for severity, count in counts(results).items()},
    }
    return json.dumps(value, indent=2) + "\n"


def _file(result: CheckResult) -> dict[str, Any]:
    problems = problems_json(result.text, result.problems)
    return {"path": result.path, "unreadable": result.unreadable, "problems": problems}


def problems_json(text: str, problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """The problems of one text; a fix of several stands with the first of them."""
    lines = LineIndex(text)
    shown = []
    told: set[int] = set()
    for problem in problems:
        # A fix of a thousand problems has a thousand edits; a million would help nobody.
        new = [fix for fix in problem.fixes if id(fix) not in told]
        told.update(map(id, new))
        shown.append(_problem(problem, new, lines))
    return shown


def _problem(problem: Problem, fixes: Iterable[Fix], lines: LineIndex) -> dict[str, Any]:
    return {
        "code": problem.code,
        "severity": str(problem.severity),
        "message": problem.message,
        "range": _range(problem.span, lines),
        "fixes": [_fix(fix, lines) for fix in fixes],
        "related": [
            {"range": _range(place.span, lines), "message": place.message}
            for place in problem.related
        ],
    }


def _fix(fix: Fix, lines: LineIndex) -> dict[str, Any]:
    return {"title": fix.title, "edits": _edits(fix.edits(lines.text), lines)}


def _edits(edits: Iterable[Edit], lines: LineIndex) -> list[dict[str, Any]]:
    return [{"range": _range(edit.span, lines), "newText": edit.new_text} for edit in edits]


def _range(span: Span, lines: LineIndex) -> dict[str, Any]:
    return {"start": _place(span.start, lines), "end": _place(span.end, lines)}


def _place(offset: int, lines: LineIndex) -> dict[str, int]:
    line, column = lines.position(offset, Unit.UTF32)
    return {"line": line + 1, "column": column + 1, "offset": offset}
