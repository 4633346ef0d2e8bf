"""The token under the cursor that a completion replaces (docs/mentions.md)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span


class Opening(StrEnum):
    """How a token began, which says what it may become."""

    PLAIN = "@"  # files and sessions
    QUOTE = '@"'  # files only; spaces allowed
    BRACKET = "@["  # sessions only; spaces allowed


@dataclass(frozen=True, slots=True)
class Token:
    """An `@` token being typed.

    `insert` ends at the cursor, `replace` also covers the part right of it that belongs to the
    token; both start at the `@`. `query` is what was typed behind the opening, up to the cursor.
    Inside an existing mention `replace` covers the whole mention.
    """

    opening: Opening
    insert: Span
    replace: Span
    query: str


def token_at(prompt: Prompt, offset: int) -> Token | None:
    """The token at a code-point offset, or None where nothing opens."""
    raise NotImplementedError
