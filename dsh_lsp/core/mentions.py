"""The mention grammar: the only place that knows it (docs/mentions.md)."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.text import Span


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention in a text: `@[label](uri)`, or a bare URI, whose label is its session id.

    `session_id` is None exactly when `fault` says why the URI is malformed.
    `label_span` covers the raw label between the brackets; None for a bare URI.
    """

    span: Span
    label: str
    label_span: Span | None
    uri: str
    uri_span: Span
    session_id: str | None
    fault: InvalidReferenceError | None

    @property
    def explicit(self) -> bool:
        """Whether this is the `@[label](uri)` form."""
        return self.label_span is not None


@dataclass(frozen=True, slots=True)
class Reference:
    """A source that a prompt asks for: its session id, and the label that the sender chose."""

    session_id: str
    label: str


def scan(text: str) -> tuple[Mention, ...]:
    """All mentions of a text, left to right, never overlapping, in linear time."""
    raise NotImplementedError


def readable(text: str, mentions: tuple[Mention, ...]) -> str:
    """The text with each mention replaced by `@` and its label; surrogate halves that meet join."""
    raise NotImplementedError


def parse(text: str) -> tuple[str, tuple[Reference, ...]]:
    """Readable text and its references in order, repeats kept; raises the first mention's fault."""
    raise NotImplementedError


def format_mention(session_id: str, label: str | None = None) -> str:
    """The canonical explicit mention; without a label the session id stands for it."""
    raise NotImplementedError
