"""The token under the cursor that a completion replaces (docs/mentions.md)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dsh_lsp.core.javascript import WHITE_SPACE
from dsh_lsp.core.mentions import Mention, Unclosed, label_end, unescape_label
from dsh_lsp.core.paths import opens_token, plain_end, trimmed_end
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span

_LINE_END = re.compile("[\n\r]")
_WORD = re.compile(f"[^{WHITE_SPACE}]*")
_OTHER_OPENING = re.compile(r"[@\[]")


class Opening(StrEnum):
    """How a token began, which says what it may become."""

    PLAIN = "@"  # files and sessions
    QUOTE = '@"'  # files only; spaces allowed
    BRACKET = "@["  # sessions only; spaces allowed


@dataclass(frozen=True, slots=True)
class Token:
    """An `@` token being typed.

    `insert` ends at the cursor, `replace` also covers the part right of it that belongs to the
    token; both start at the `@`. `query` is what was typed behind the opening, up to the cursor,
    without the backslashes of a label. Inside an existing mention `replace` covers the whole
    mention.
    """

    opening: Opening
    insert: Span
    replace: Span
    query: str


def token_at(prompt: Prompt, offset: int) -> Token | None:
    """The token at a code-point offset, or None where nothing opens."""
    if not prompt.body_start <= offset <= len(prompt.text):
        return None
    mention = _last_before(prompt.mentions, offset)
    if mention is not None and offset < mention.span.end:
        return _inside(prompt, mention, offset)
    unclosed = _last_before(prompt.unclosed, offset)
    if unclosed is not None and offset <= unclosed.span.end:
        return _inside(prompt, unclosed, offset)
    start = mention.span.end if mention else prompt.body_start
    return _Line(prompt, start, offset).token()


def _last_before(
    mentions: Sequence[Mention] | Sequence[Unclosed], offset: int
) -> Mention | Unclosed | None:
    """The last of them that starts before the offset."""
    index = bisect_left(mentions, offset, key=lambda mention: mention.span.start)
    return mentions[index - 1] if index else None


def _inside(prompt: Prompt, mention: Mention | Unclosed, offset: int) -> Token | None:
    """The token that replaces a mention, while the cursor stands on its label side."""
    label, span = mention.label_span, mention.span
    if label is None or offset > label.end:
        return None
    if _LINE_END.search(prompt.text, span.start, span.end):
        # An edit of completion must lie in one line. A label of several lines is most likely an
        # `@[` left open far above, so what is typed here counts by itself.
        return _Line(prompt, span.start, offset).token()
    query = unescape_label(prompt.text[label.start : offset])
    return Token(Opening.BRACKET, Span(span.start, offset), span, query)


class _Line:
    """The part of one line, outside mentions, in which a token may stand."""

    def __init__(self, prompt: Prompt, start: int, offset: int) -> None:
        text = prompt.text
        self._text = text
        self._offset = offset
        self._start = max(start, text.rfind("\n", start, offset), text.rfind("\r", start, offset))
        line_end = _LINE_END.search(text, offset)
        index = bisect_left(prompt.mentions, offset, key=lambda mention: mention.span.start)
        self._end = min(
            line_end.start() if line_end else len(text),
            prompt.mentions[index].span.start if index < len(prompt.mentions) else len(text),
        )

    def token(self) -> Token | None:
        """The token that is still open at the cursor, read from the left as the grammar is."""
        text, offset = self._text, self._offset
        at = text.find("@", self._start, offset)
        while at >= 0:
            behind = at + 1
            if opens_token(text, at):
                token, behind = self._token_or_end(at)
                if token is not None:
                    return token
            at = text.find("@", behind, offset)
        return None

    def _token_or_end(self, at: int) -> tuple[Token | None, int]:
        """The token that opens at `at`, or None and where it ended before the cursor."""
        text, offset = self._text, self._offset
        start = at + len('@"')
        if text.startswith(Opening.QUOTE, at, offset):
            close = text.find('"', start, offset)
            if close < 0:
                return self._made(Opening.QUOTE, at, text[start:offset]), offset
            return None, close + 1
        if text.startswith(Opening.BRACKET, at, offset):
            end = label_end(text, start, offset)
            # A backslash just before the cursor waits for the character that it takes along.
            if end == offset or (end == offset - 1 and text[end] == "\\"):
                query = unescape_label(text[start:offset])
                return self._made(Opening.BRACKET, at, query), offset
            return None, end
        end = plain_end(text, at + 1, offset)
        if end == offset:
            return self._made(Opening.PLAIN, at, text[at + 1 : offset]), offset
        return None, end

    def _made(self, opening: Opening, at: int, query: str) -> Token:
        end = max(self._offset, self._replaced_end(at))
        return Token(opening, Span(at, self._offset), Span(at, end), query)

    def _replaced_end(self, at: int) -> int:
        """Where the token that opens at `at` ends, whether or not the cursor is there already."""
        text, offset = self._text, self._offset
        start = at + len('@"')
        if text.startswith(Opening.QUOTE, at, self._end):
            close = text.find('"', max(start, offset), self._end)
            return close + 1 if close >= 0 else self._word_end()
        if text.startswith(Opening.BRACKET, at, self._end):
            end = label_end(text, start, self._end)
            closed = text.startswith("]", end, self._end)
            if closed and not _OTHER_OPENING.search(text, max(start, offset), end):
                return end + 1
            return self._word_end()
        return trimmed_end(text, at + 1, plain_end(text, at + 1, self._end))

    def _word_end(self) -> int:
        """The end of the word at the cursor: of an unclosed token no more is taken for its own."""
        word = _WORD.match(self._text, self._offset, self._end)
        return word.end() if word else self._offset
