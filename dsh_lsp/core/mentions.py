"""The mention grammar: the only place that knows it (docs/mentions.md)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.javascript import LINE_TERMINATORS, WHITE_SPACE, join_surrogates
from dsh_lsp.core.text import Span
from dsh_lsp.core.uri import SCHEME, encode, examine

_OPENING = "@["
_LINK = f"]({SCHEME}"

_LABEL = re.compile(rf"(?:[^\]\\]+|\\[^{LINE_TERMINATORS}])*")
_URI_REST = re.compile(rf"[^{WHITE_SPACE})]*")
_PAYLOAD = re.compile(r"[A-Za-z0-9_-]+")

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NEEDS_ESCAPE = re.compile(r"[\\\]]")


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention in a text: `@[label](uri)`, or a bare URI, whose label is its session id.

    `session_id` is None exactly when `fault` says why the URI is malformed. `label_end` is the
    offset of the `]` behind the label; None for a bare URI.
    """

    span: Span
    label: str
    uri: str
    session_id: str | None
    fault: InvalidReferenceError | None
    label_end: int | None

    @property
    def explicit(self) -> bool:
        """Whether this is the `@[label](uri)` form."""
        return self.label_end is not None

    @property
    def label_span(self) -> Span | None:
        """Where the raw label lies between the brackets; None for a bare URI."""
        if self.label_end is None:
            return None
        return Span(self.span.start + len(_OPENING), self.label_end)

    @property
    def uri_span(self) -> Span:
        """Where the URI lies."""
        if self.label_end is None:
            return self.span
        return Span(self.label_end + len("]("), self.span.end - len(")"))

    def reference(self) -> Reference:
        """What this mention asks for; raises its fault."""
        if self.session_id is None:
            # A new error, for the stored one is shared and must keep no stack alive.
            raise InvalidReferenceError(str(self.fault))
        return Reference(self.session_id, self.label)


@dataclass(frozen=True, slots=True)
class Reference:
    """A source that a prompt asks for: its session id, and the label that the sender chose."""

    session_id: str
    label: str


@dataclass(frozen=True, slots=True)
class Unclosed:
    """`@[label](dsh-session:…` without its `)`; the URI may still count as a bare mention."""

    span: Span
    label_span: Span
    uri_span: Span


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass over a text found, left to right; mentions never overlap.

    `reaches` has an offset for each mention: nothing behind it was looked at to find the mention
    and all before it (or a little less was).
    """

    mentions: tuple[Mention, ...]
    unclosed: tuple[Unclosed, ...]
    reaches: tuple[int, ...] = field(default=(), compare=False, repr=False)


IsKnown = Callable[[int, int], bool]
"""Given the end of a mention, and how far the last unclosed one before it reaches."""


def scan(text: str) -> tuple[Mention, ...]:
    """All mentions of a text, left to right, never overlapping, in linear time."""
    return scan_from(text, 0).mentions


def scan_from(text: str, start: int) -> Scan:
    """Mentions and unclosed mentions of `text` from `start` on, in linear time.

    Spans are offsets of the whole text.
    """
    return scan_on(text, start, Scan((), ()), lambda _end, _unclosed: False)


def scan_on(text: str, start: int, before: Scan, is_known: IsKnown) -> Scan:
    """Go on with a scan, from its start or from the end of its last mention.

    It ends early behind a mention from whose end on, says `is_known`, all is known.
    """
    return _Scanner(text, before).scan(start, is_known)


def readable(text: str, mentions: tuple[Mention, ...]) -> str:
    """The text with each mention replaced by `@` and its label; surrogate halves that meet join."""
    parts: list[str] = []
    end = 0
    for mention in mentions:
        parts += (text[end : mention.span.start], "@", mention.label)
        end = mention.span.end
    parts.append(text[end:])
    return join_surrogates("".join(parts))


def parse(text: str) -> tuple[str, tuple[Reference, ...]]:
    """Readable text and its references in order, repeats kept; raises the first mention's fault."""
    mentions = scan(text)
    references = tuple(mention.reference() for mention in mentions)
    return readable(text, mentions), references


def format_mention(session_id: str, label: str | None = None) -> str:
    """The canonical explicit mention; without a label the session id stands for it."""
    shown = session_id if label is None else label
    return join_surrogates(f"{_OPENING}{escape_label(shown)}]({encode(session_id)})")


def escape_label(label: str) -> str:
    """A label as it is written between the brackets of a mention."""
    return _NEEDS_ESCAPE.sub(r"\\\g<0>", label)


def unescape_label(raw: str) -> str:
    """The label that is written as `raw` between the brackets of a mention."""
    return _ESCAPED.sub(r"\1", raw)


def label_end(text: str, start: int, limit: int) -> int:
    """Where a label that begins at `start`, behind its `@[`, ends or breaks off, before `limit`.

    It is closed only if a `]` stands there.
    """
    match = _LABEL.match(text, start, limit)
    return match.end() if match else start


class _Next:
    """The end of a possessive run, asked for at growing places, reading no character twice.

    Right only for runs that end at the same place from wherever in them they are begun, as all
    the runs of the grammar do: a label begins behind a `[`, so never in the middle of an escape.
    """

    def __init__(self, run: re.Pattern[str], text: str) -> None:
        self._run = run
        self._text = text
        self.end = -1

    def end_from(self, start: int) -> int:
        if start > self.end:
            match = self._run.match(self._text, start)
            self.end = match.end() if match else start
        return self.end


class _Scanner:
    """One pass over one text."""

    def __init__(self, text: str, before: Scan) -> None:
        self._text = text
        self._labels = _Next(_LABEL, text)
        self._uris = _Next(_URI_REST, text)
        self._mentions = list(before.mentions)
        self._unclosed = list(before.unclosed)
        self._reaches = list(before.reaches)
        self._reach = before.reaches[-1] if before.reaches else 0

    def scan(self, start: int, is_known: IsKnown) -> Scan:
        text = self._text
        opening = text.find(_OPENING, start)
        scheme = text.find(SCHEME, start)
        while scheme >= 0:
            if 0 <= opening < scheme:
                taken, skipped = self._explicit(opening), opening + len(_OPENING)
            else:
                taken, skipped = self._bare(scheme), scheme + len(SCHEME)
            if taken and is_known(taken, self._unclosed[-1].span.end if self._unclosed else 0):
                break
            end = taken or skipped
            if 0 <= opening < end:
                opening = text.find(_OPENING, end)
            if scheme < end:
                scheme = text.find(SCHEME, end)
        return Scan(tuple(self._mentions), tuple(self._unclosed), tuple(self._reaches))

    def _explicit(self, start: int) -> int | None:
        """Take the explicit mention that opens at `start`: its end, or None if there is none."""
        label_start = start + len(_OPENING)
        label_end = self._labels.end_from(label_start)
        if not self._text.startswith(_LINK, label_end):
            return None
        uri_start = label_end + len("](")
        uri_end = self._uris.end_from(uri_start + len(SCHEME))
        if not self._text.startswith(")", uri_end):
            # Of several that one `)` would close, the grammar closes the first.
            if not self._unclosed or self._unclosed[-1].span.end != uri_end:
                self._unclosed.append(
                    Unclosed(
                        Span(start, uri_end), Span(label_start, label_end), Span(uri_start, uri_end)
                    )
                )
            return None
        span = Span(start, uri_end + 1)
        label = unescape_label(self._text[label_start:label_end])
        return self._take(span, self._text[uri_start:uri_end], label, label_end)

    def _bare(self, start: int) -> int | None:
        """Take the bare URI that starts at `start`: its end, or None for ordinary text."""
        payload = _PAYLOAD.match(self._text, start + len(SCHEME))
        if payload is None:
            return None
        span = Span(start, payload.end())
        return self._take(span, span.of(self._text), None, None)

    def _take(self, span: Span, uri: str, label: str | None, label_end: int | None) -> int:
        found = examine(uri)
        session_id, fault = (found, None) if isinstance(found, str) else (None, found)
        if label is None:
            label = uri if session_id is None else session_id
        self._mentions.append(Mention(span, label, uri, session_id, fault, label_end))
        self._reach = max(
            self._reach, span.end + 1, self._uris.end + 1, self._labels.end + len(_LINK)
        )
        self._reaches.append(self._reach)
        return span.end
