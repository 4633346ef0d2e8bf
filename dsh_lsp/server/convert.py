"""The only mapping between values of the core and LSP's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lsprotocol import types

from dsh_lsp.core.problem import Edit, Problem, Severity
from dsh_lsp.core.text import Span, Unit
from dsh_lsp.pages import page_uri
from dsh_lsp.server.documents import Change, Document

PROBLEM_PAGE = page_uri("diagnostics.md")
"""The page that explains every code, one heading each."""

SOURCE = "dsh"

_SEVERITY = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def position_of(document: Document, offset: int, unit: Unit) -> types.Position:
    """A code-point offset as an LSP position."""
    line, column = document.lines.position(offset, unit)
    return types.Position(line, column)


def offset_of(document: Document, position: types.Position, unit: Unit) -> int:
    """An LSP position as a code-point offset, clamped to the text."""
    return document.lines.offset(position.line, position.character, unit)


def range_of(document: Document, span: Span, unit: Unit) -> types.Range:
    """A span as an LSP range."""
    return types.Range(
        position_of(document, span.start, unit), position_of(document, span.end, unit)
    )


def span_of(document: Document, place: types.Range, unit: Unit) -> Span:
    """An LSP range as a span; a range whose ends are swapped is empty."""
    start = offset_of(document, place.start, unit)
    return Span(start, max(start, offset_of(document, place.end, unit)))


def change_of(change: types.TextDocumentContentChangeEvent) -> Change:
    """One content change of a `didChange`."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        start, end = change.range.start, change.range.end
        return Change(change.text, (start.line, start.character), (end.line, end.character))
    return Change(change.text)


def text_edits(document: Document, edits: Iterable[Edit], unit: Unit) -> list[types.TextEdit]:
    """Edits of one document."""
    return [types.TextEdit(range_of(document, edit.span, unit), edit.new_text) for edit in edits]


def diagnostics_of(
    document: Document, problems: Iterable[Problem], unit: Unit
) -> list[types.Diagnostic]:
    """Problems as diagnostics; their data say which quick fixes there are."""
    ranges: dict[Span, types.Range] = {}  # a thousand repeats all point at the same first one

    def place(span: Span) -> types.Range:
        known = ranges.get(span)
        if known is None:
            known = ranges[span] = range_of(document, span, unit)
        return known

    return [
        types.Diagnostic(
            range=place(problem.span),
            message=problem.message,
            severity=_SEVERITY[problem.severity],
            code=str(problem.code),
            code_description=types.CodeDescription(f"{PROBLEM_PAGE}#{problem.code.lower()}"),
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if problem.unnecessary else None,
            related_information=[
                types.DiagnosticRelatedInformation(
                    types.Location(document.uri, place(other.span)), other.message
                )
                for other in problem.related
            ]
            or None,
            data={"fixes": [fix.title for fix in problem.fixes]},
        )
        for problem in problems
    ]


def problem_json(document: Document, problem: Problem, unit: Unit) -> dict[str, Any]:
    """One problem as commands report it (docs/commands.md)."""
    start = document.lines.position(problem.span.start, unit)
    end = document.lines.position(problem.span.end, unit)
    return {
        "code": str(problem.code),
        "severity": problem.severity.value,
        "message": problem.message,
        "range": {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        },
    }
