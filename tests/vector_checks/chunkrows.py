"""Checks chunkrows.jsonl: packing and unpacking runs of streamed deltas."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.javascript import parse, stringify
from dsh_lsp.core.log.chunk_rows import pack_chunks, unpack_row
from tests.vector_checks.refusal import Refused


def run(given: dict[str, Any]) -> dict[str, Any]:
    if given["op"] == "pack":
        records = pack_chunks(given["events"])
        return {"records": records, "jsonl": "\n".join(stringify(record) for record in records)}
    try:
        record = parse(given["line"]) if given["op"] == "decodeLine" else given["record"]
        return {"events": unpack_row(record)}
    except ValueError as error:
        raise Refused(None) from error
