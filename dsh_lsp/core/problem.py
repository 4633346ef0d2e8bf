"""Problems of a prompt as plain values; the server turns them into diagnostics and quick fixes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from dsh_lsp.core.text import Span


class Severity(StrEnum):
    """How much a problem matters. Only an error forbids sending."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `span` of the document by `new_text`."""

    span: Span
    new_text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One quick fix: a title for people and the edits that it makes."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """Another place of the same document that explains a problem."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in a prompt. `code` is one of docs/diagnostics.md; `span` is exact."""

    code: str
    severity: Severity
    span: Span
    message: str
    fixes: tuple[Fix, ...] = field(default=())
    related: tuple[Related, ...] = field(default=())
    unnecessary: bool = False
