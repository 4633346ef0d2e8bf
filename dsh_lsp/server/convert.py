"""The only mapping between values of the core and LSP's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple, TypeVar

from lsprotocol import types

from dsh_lsp.core.problem import Edit, Fix, Problem, Related, Severity
from dsh_lsp.core.text import Place, Span, Unit
from dsh_lsp.pages import page_uri
from dsh_lsp.server.documents import Change, Document

PROBLEM_PAGE = page_uri("diagnostics.md")
"""The page that explains every code, one heading each."""

SOURCE = "dsh"

S = TypeVar("S")
T = TypeVar("T")

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


def offset_of(document: Document, position: types.Position, unit: Unit) -> int:
    """An LSP position as a code-point offset, clamped to the text."""
    return document.lines.offset(position.line, position.character, unit)


def range_of(document: Document, span: Span, unit: Unit) -> types.Range:
    """A span as an LSP range."""
    return _range(document.lines.place(span, unit))


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
    place = document.lines.place

    # A thousand repeats share what explains and what solves them.
    @_by_identity
    def related(others: Iterable[Related]) -> tuple[tuple[Place, str], ...]:
        return tuple([(place(other.span, unit), other.message) for other in others])

    @_by_identity
    def titles(fixes: Iterable[Fix]) -> tuple[str, ...]:
        return tuple([fix.title for fix in fixes])

    return tuple(
        [
            Shown(
                str(problem.code),
                problem.severity,
                place(problem.span, unit),
                problem.message,
                problem.unnecessary,
                related(problem.related),
                titles(problem.fixes),
            )
            for problem in problems
        ]
    )


def _by_identity(function: Callable[[S], T]) -> Callable[[S], T]:
    """The function, called once for each value, which must live on and is not compared."""
    known: dict[int, T] = {}

    def answer(value: S) -> T:
        place = id(value)
        if place not in known:
            known[place] = function(value)
        return known[place]

    return answer


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
    start, end = document.lines.place(problem.span, unit)
    return {
        "code": str(problem.code),
        "severity": problem.severity.value,
        "message": problem.message,
        "range": {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        },
    }
