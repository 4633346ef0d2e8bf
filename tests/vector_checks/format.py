"""format.jsonl: writing a mention, and what the parser reads from it again."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.mentions import format_mention, parse
from tests.vector_checks.shape import expect_keys, expect_text


def run(given: dict[str, Any]) -> dict[str, Any]:
    """The mention of a session, and its reading."""
    expect_keys(given, ("sessionId",), ("label",))
    label = given.get("label")
    mention = format_mention(
        expect_text(given["sessionId"]), None if label is None else expect_text(label)
    )
    return {"mention": mention, "reparsed": _reparse(mention)}


def _reparse(mention: str) -> dict[str, Any]:
    try:
        text, references = parse(mention)
    except SessionReferenceError as error:
        return {"errorCode": error.code}
    return {
        "text": text,
        "references": [
            {"sessionId": reference.session_id, "label": reference.label}
            for reference in references
        ],
    }
