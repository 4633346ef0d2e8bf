"""JSON that the server's commands and the command line both answer (docs/commands.md)."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.budget import Budget
from dsh_lsp.core.prepare import Prepared
from dsh_lsp.core.retention import Snapshot
from dsh_lsp.harness.port import Receipt

Json = dict[str, Any]


def snapshot_json(snapshot: Snapshot) -> Json:
    """The figures of a source. Sizes are UTF-8 bytes."""
    return {
        "sessionId": snapshot.session_id,
        "label": snapshot.label,
        "budget": snapshot.budget,
        "bytes": snapshot.size,
        "capturedThroughSeq": snapshot.captured_through_seq,
        "compacted": snapshot.compacted,
        "originalMessages": snapshot.original_messages,
        "retainedMessages": snapshot.retained_messages,
        "omittedMessages": snapshot.omitted_messages,
        "omittedBytes": snapshot.omitted_bytes,
        "truncated": snapshot.truncated,
    }


def references_json(prepared: Prepared | None) -> list[Json]:
    """The sources of a prepared prompt with their figures; none of what was not prepared."""
    return [
        {**snapshot_json(source.snapshot), "displayTitle": source.display_title}
        for source in (prepared.sources if prepared else ())
    ]


def budget_json(budget: Budget) -> Json:
    """The bytes of each source, and the rule that gave them."""
    return {"bytes": budget.size, "rule": budget.rule}


def receipt_json(receipt: Receipt, *, expanded: bool = False) -> Json:
    """Only what is known is there. `expanded`: dsh-lsp had resolved the mentions itself."""
    different = [
        {
            "sessionId": each.session_id,
            "fact": each.fact,
            "prepared": each.predicted,
            "recorded": each.recorded,
        }
        for each in receipt.differences
    ]
    members = {
        "place": receipt.place,
        "reason": receipt.reason,
        "messageSeq": receipt.message_seq,
        "differences": different or None,
        "expanded": expanded or None,
    }
    known = {key: value for key, value in members.items() if value is not None}
    return {"state": receipt.state.value, **known}
