"""The problems of mentions that need no store: malformed ones and unclosed ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dsh_lsp.core.failures import Code, InvalidReferenceError
from dsh_lsp.core.mentions import Mention, Unclosed
from dsh_lsp.core.problem import Edit, Fix, Problem, Severity
from dsh_lsp.core.text import Span
from dsh_lsp.core.uri import SCHEME, canonical, examine

_SPACE_BEFORE_CLOSING = re.compile(r"[ \t]+\)")


def malformed_mentions(mentions: Iterable[Mention]) -> Iterator[Problem]:
    """Each mention whose URI names no session, with its canonical form where that is plain."""
    for mention in mentions:
        if mention.fault is None:
            continue
        meant = canonical(mention.uri)
        fixes = () if meant is None else (Fix("Make canonical", (Edit(mention.uri_span, meant),)),)
        yield Problem(
            Code.INVALID_REFERENCE, Severity.ERROR, mention.span, mention.fault.message, fixes
        )


def unclosed_mentions(text: str, unclosed: Iterable[Unclosed]) -> Iterator[Problem]:
    """Each mention that lacks its `)`; it can be closed where that makes a valid one."""
    for each in unclosed:
        fixes = (_closed(text, each),) if _would_be_valid(text, each) else ()
        yield Problem(
            "unclosed-mention",
            Severity.WARNING,
            each.span,
            "This looks like a mention, but its `)` is missing: put it right behind the URI.",
            fixes,
        )


def _would_be_valid(text: str, unclosed: Unclosed) -> bool:
    """Whether closing it gives a mention, and takes no other one into its label."""
    if SCHEME in unclosed.label_span.of(text):
        return False
    return not isinstance(examine(unclosed.uri_span.of(text)), InvalidReferenceError)


def _closed(text: str, unclosed: Unclosed) -> Fix:
    end = unclosed.span.end
    space = _SPACE_BEFORE_CLOSING.match(text, end)
    return Fix("Close the mention", (Edit(Span(end, space.end() if space else end), ")"),))
