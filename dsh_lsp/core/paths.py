"""The `@path` grammar: file mentions (docs/mentions.md)."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.core.mentions import Mention
from dsh_lsp.core.text import Span


@dataclass(frozen=True, slots=True)
class PathMention:
    """An `@path` or `@"path with spaces"` in a text. `quoted` tells which."""

    span: Span
    path: str
    quoted: bool


def scan_paths(text: str, mentions: tuple[Mention, ...]) -> tuple[PathMention, ...]:
    """All path mentions outside session mentions, left to right, in linear time."""
    raise NotImplementedError


def format_path(path: str, *, open_quote: bool = False) -> str | None:
    """The mention of a path, quoted when it must be; None for a path that cannot be written.

    With `open_quote` the quote that the user typed is kept.
    """
    raise NotImplementedError
