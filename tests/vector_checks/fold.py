"""Checks fold.jsonl: the strict surface fold of format 0."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.javascript import parse
from dsh_lsp.core.log.surface import fold
from tests.vector_checks.refusal import Refused


def run(given: dict[str, Any]) -> dict[str, Any]:
    try:
        events = parse(given["eventsJson"]) if "eventsJson" in given else given["events"]
        folded = fold(events)
    except ValueError as error:
        raise Refused(None) from error
    return {
        "nodes": [node["seq"] for node in folded.nodes],
        "replacements": [
            {
                "seq": replacement.seq,
                "start": replacement.start,
                "end": replacement.end,
                "shadowedSeqs": list(replacement.shadowed_seqs),
            }
            for replacement in folded.replacements
        ],
    }
