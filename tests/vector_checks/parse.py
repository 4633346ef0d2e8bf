"""parse.jsonl: the mentions of a text, their exact spans, and the readable text."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.mentions import parse, scan
from dsh_lsp.core.text import Span
from tests.vector_checks.refusal import Refused
from tests.vector_checks.shape import expect_keys, expect_text


def run(given: dict[str, Any]) -> dict[str, Any]:
    """What the parser makes of the text; the first malformed mention refuses it."""
    expect_keys(given, ("text",))
    text = expect_text(given["text"])
    mentions = scan(text)
    try:
        readable, references = parse(text)
    except SessionReferenceError as error:
        valid = [mention.fault is None for mention in mentions]
        before = valid.index(False)
        span = mentions[before].span
        raise Refused(
            error.code,
            failSpanUtf16=_utf16(text, span),
            failSpanCodePoint=[span.start, span.end],
            matchesBeforeFailure=before,
        ) from error
    return {
        "text": readable,
        "references": [
            {"sessionId": reference.session_id, "label": reference.label}
            for reference in references
        ],
        "spansUtf16": [_utf16(text, mention.span) for mention in mentions],
        "spansCodePoint": [[mention.span.start, mention.span.end] for mention in mentions],
    }


def _utf16(text: str, span: Span) -> list[int]:
    # Counted here by hand, because the vectors count from the start of the text, not of a line.
    return [
        len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2
        for offset in (span.start, span.end)
    ]
