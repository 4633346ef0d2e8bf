"""The only mapping between values of the core and LSP's."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from lsprotocol import types

from dsh_lsp.core.problem import Edit, Problem, Severity
from dsh_lsp.core.text import Span, Unit
from dsh_lsp.pages import page_uri
from dsh_lsp.server.documents import Change, Document, Position

PROBLEM_PAGE = page_uri("diagnostics.md")
"""The page that explains every code, one heading each."""

SOURCE = "dsh"

Place = tuple[Position, Position]
"""Where something starts and ends."""

_SEVERITY = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def markup(text: str, *, markdown: bool) -> types.MarkupContent:
    """Text as the kind that the client prefers."""
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.MarkupContent(kind, text)


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


class Shown(NamedTuple):
    """A problem as an editor shows it: equal exactly when its diagnostic is."""

    code: str
    severity: Severity
    place: Place
    message: str
    unnecessary: bool
    related: tuple[tuple[Place, str], ...]
    fixes: tuple[str, ...]


def shown_problems(
    document: Document, problems: Iterable[Problem], unit: Unit
) -> tuple[Shown, ...]:
    """Problems with their positions; cheap, since most keystrokes move nothing."""
    # A thousand repeats all point at the same first one.
    position = cache(lambda offset: document.lines.position(offset, unit))

    def place(span: Span) -> Place:
        return position(span.start), position(span.end)

    return tuple(
        Shown(
            str(problem.code),
            problem.severity,
            place(problem.span),
            problem.message,
            problem.unnecessary,
            tuple([(place(other.span), other.message) for other in problem.related]),
            tuple([fix.title for fix in problem.fixes]),
        )
        for problem in problems
    )


def diagnostics_of(uri: str, shown: Iterable[Shown]) -> list[types.Diagnostic]:
    """LSP's diagnostics; their data say which quick fixes there are."""
    about = cache(lambda code: types.CodeDescription(f"{PROBLEM_PAGE}#{code.lower()}"))
    return [
        types.Diagnostic(
            range=_range(each.place),
            message=each.message,
            severity=_SEVERITY[each.severity],
            code=each.code,
            code_description=about(each.code),
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if each.unnecessary else None,
            related_information=[
                types.DiagnosticRelatedInformation(types.Location(uri, _range(place)), message)
                for place, message in each.related
            ]
            or None,
            data={"fixes": list(each.fixes)},
        )
        for each in shown
    ]


def _range(place: Place) -> types.Range:
    start, end = place
    return types.Range(types.Position(*start), types.Position(*end))


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
