"""uri.jsonl: the codec of the session URI, in both directions."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.uri import decode, encode
from tests.vector_checks.refusal import Refused
from tests.vector_checks.shape import UnknownShapeError, expect_keys, expect_text


def run(given: dict[str, Any]) -> dict[str, Any]:
    """The URI of a session id, or the session id of a URI."""
    match given.get("op"):
        case "encode":
            expect_keys(given, ("op", "sessionId"))
            return {"uri": encode(expect_text(given["sessionId"]))}
        case "decode":
            expect_keys(given, ("op", "uri"))
            try:
                return {"sessionId": decode(expect_text(given["uri"]))}
            except SessionReferenceError as error:
                raise Refused(error.code) from error
        case other:
            raise UnknownShapeError(f"unknown op: {other!r}")
