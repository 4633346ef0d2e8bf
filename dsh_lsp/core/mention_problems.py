"""The problems of mentions that need no store: malformed ones and unclosed ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from dsh_lsp.core.failures import Code, InvalidReferenceError
from dsh_lsp.core.mentions import Mention, Unclosed
from dsh_lsp.core.problem import Edit, Problem, Severity
from dsh_lsp.core.text import Span
from dsh_lsp.core.uri import SCHEME, examine

_SPACE_BEFORE_CLOSING = re.compile(r"[ \t]+\)")


def malformed_mentions(mentions: Iterable[Mention]) -> Iterator[Problem]:
    """Each mention whose URI names no session, with its canonical form where that is plain."""
    for mention in mentions:
        fault = mention.fault
        if fault is not None:
            fixes = () if fault.meant is None else (_MakeCanonical(mention.uri_span, fault.meant),)
            yield Problem(
                Code.INVALID_REFERENCE, Severity.ERROR, mention.span, fault.message, fixes
            )


def unclosed_mentions(text: str, unclosed: Iterable[Unclosed]) -> Iterator[Problem]:
    """Each mention that lacks its `)`; it can be closed where that makes a valid one."""
    for each in unclosed:
        yield Problem(
            "unclosed-mention",
            Severity.WARNING,
            each.span,
            "This looks like a mention, but its `)` is missing: put it right behind the URI.",
            (_Close(each.span.end),) if _would_be_valid(text, each) else (),
        )


def _would_be_valid(text: str, unclosed: Unclosed) -> bool:
    """Whether closing it gives a mention, and takes no other one into its label."""
    if SCHEME in unclosed.label_span.of(text):
        return False
    return not isinstance(examine(unclosed.uri_span.of(text)), InvalidReferenceError)


@dataclass(frozen=True, slots=True)
class _MakeCanonical:
    """Write the URI that was meant."""

    title: ClassVar[str] = "Make canonical"
    uri_span: Span
    meant: str

    def edits(self, _text: str, /) -> tuple[Edit, ...]:
        """One."""
        return (Edit(self.uri_span, self.meant),)


@dataclass(frozen=True, slots=True)
class _Close:
    """Put a `)` where a mention ends, in place of blanks before one that stands too far off."""

    title: ClassVar[str] = "Close the mention"
    end: int

    def edits(self, text: str, /) -> tuple[Edit, ...]:
        """One."""
        space = _SPACE_BEFORE_CLOSING.match(text, self.end)
        return (Edit(Span(self.end, space.end() if space else self.end), ")"),)
