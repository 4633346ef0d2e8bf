"""Problems of a prompt as plain values; the server turns them into diagnostics and quick fixes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Protocol

from dsh_lsp.core.text import Span

_PLACE = attrgetter("span.start", "span.end")


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


class Fix(Protocol):
    """One quick fix: a title for people, and what is to be done.

    Its edits are made only when they are asked for, since few fixes ever are, and a fix may change
    thousands of mentions at once.
    """

    @property
    def title(self) -> str:
        """What an editor shows."""
        ...

    def edits(self, text: str, /) -> tuple[Edit, ...]:
        """What it changes in the text that has the problem; no two edits overlap."""
        ...


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The fix that is a few edits."""

    title: str
    changes: tuple[Edit, ...]

    def edits(self, _text: str, /) -> tuple[Edit, ...]:
        """The changes."""
        return self.changes


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


def in_document_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems by where they begin, and then by where they end."""
    return tuple(sorted(problems, key=_PLACE))
