"""Checks retain.jsonl: a surface, projected and fitted into a byte budget."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.envelope import reference_record
from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.javascript import utf8_length
from dsh_lsp.core.projection import project
from dsh_lsp.core.retention import retain
from tests.vector_checks.refusal import Refused


def run(given: dict[str, Any]) -> dict[str, Any]:
    header = given["header"]
    try:
        snapshot = retain(
            session_id=header["id"],
            label=given["label"],
            cwd=header.get("cwd"),
            captured_through_seq=given["capturedThroughSeq"],
            conversation=project(given["events"]),
            budget=given["maxReferenceBytes"],
        )
    except SessionReferenceError as error:
        raise Refused(error.code) from error
    except ValueError as error:
        raise Refused(None) from error
    stats = reference_record(snapshot, format_version=0, input_index=0)
    del stats["capturedFormatVersion"]  # the host that gave the vectors did not record it
    return {
        "json": f"[{snapshot.json}]",
        "objectBytes": utf8_length(snapshot.json),
        "stats": stats,
    }
