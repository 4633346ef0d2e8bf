"""Quick fixes of mentions: removing them, keeping only their text, renewing their label."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dsh_lsp.core.display import one_line
from dsh_lsp.core.mentions import Mention, escape_label
from dsh_lsp.core.names import mention_label
from dsh_lsp.core.problem import Edit
from dsh_lsp.core.text import Span
from dsh_lsp.core.uri import SCHEME

_BLANKS = frozenset(" \t")
_LINE_ENDS = frozenset("\n\r")
_URI_GOES_ON = re.compile("[A-Za-z0-9_-]")
_AFTER_A_WORD = _BLANKS | _LINE_ENDS | frozenset(["", *",.;:!?)，。；：！？）"])


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete mentions, each with one blank that would be left over beside it."""

    title: str
    mentions: tuple[Mention, ...]

    def edits(self, text: str, /) -> tuple[Edit, ...]:
        """One for each mention."""
        return _replacements(text, ((mention, "") for mention in self.mentions))


@dataclass(frozen=True, slots=True)
class KeepText:
    """Turn mentions into ordinary text: their label, or `name` where they are a bare URI."""

    title: str
    mentions: tuple[Mention, ...]
    name: str

    def edits(self, text: str, /) -> tuple[Edit, ...]:
        """One for each mention."""
        plain = ((mention, _plain(mention, self.name)) for mention in self.mentions)
        return _replacements(text, plain)


@dataclass(frozen=True, slots=True)
class Relabel:
    """Give each explicit mention its new label."""

    title: str
    labels: tuple[tuple[Mention, str], ...]

    def edits(self, _text: str, /) -> tuple[Edit, ...]:
        """One for each label."""
        return tuple(
            Edit(mention.label_span, escape_label(label))
            for mention, label in self.labels
            if mention.label_span is not None
        )


def _plain(mention: Mention, name: str) -> str:
    label = one_line(mention.label) if mention.explicit else mention_label(name)
    # As ordinary text such a label would be a mention again.
    return "" if SCHEME in label else label


def _replacements(text: str, mentions: Iterable[tuple[Mention, str]]) -> tuple[Edit, ...]:
    edits: list[Edit] = []
    done = 0  # edits must not overlap, though two mentions may share the blank between them
    before = ""
    for mention, new_text in mentions:
        span = mention.span if new_text else _with_blank(text, mention.span, done)
        before = (before + text[max(done, span.start - len(SCHEME)) : span.start])[-len(SCHEME) :]
        following = new_text or text[span.end : span.end + 1]
        if _URI_GOES_ON.match(following) and _ends_like_a_uri(before):
            new_text = f" {new_text}"
        edits.append(Edit(span, new_text))
        before += new_text
        done = span.end
    return tuple(edits)


def _ends_like_a_uri(text: str) -> bool:
    """Whether what comes next could become a part of a bare URI."""
    return text.endswith(SCHEME) or _URI_GOES_ON.match(text[-1:]) is not None


def _with_blank(text: str, span: Span, earliest: int) -> Span:
    before, after = text[max(span.start - 1, 0) : span.start], text[span.end : span.end + 1]
    if before in _BLANKS and span.start > earliest:
        return Span(span.start - 1, span.end) if after in _AFTER_A_WORD else span
    if (span.start == earliest or before in _LINE_ENDS) and after in _BLANKS:
        return Span(span.start, span.end + 1)
    return span
