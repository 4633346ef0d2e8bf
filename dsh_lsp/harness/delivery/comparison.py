"""What a target's log holds of each source, beside what was predicted before sending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dsh_lsp.core.javascript import equal
from dsh_lsp.harness.port import Difference, Receipt

FACTS = (
    *("capturedThroughSeq", "compacted", "originalMessages", "retainedMessages"),
    *("omittedMessages", "omittedBytes", "truncated"),
)

WHOLE = "recorded"
"""Stands for the fact that a source was recorded at all."""


def compared(receipt: Receipt, predicted: Sequence[Mapping[str, Any]]) -> Receipt:
    """The receipt with every difference; a fact that only one of both tells is none."""
    return replace(receipt, differences=tuple(_differences(receipt.references, predicted)))


def _differences(
    recorded: Sequence[Mapping[str, Any]], predicted: Sequence[Mapping[str, Any]]
) -> Iterator[Difference]:
    theirs = {each.get("sessionId"): each for each in recorded}
    for ours in predicted:
        session_id = ours.get("sessionId")
        if not isinstance(session_id, str):
            continue
        found = theirs.get(session_id)
        if found is None:
            yield Difference(session_id, WHOLE, predicted=True, recorded=False)
            continue
        for fact in FACTS:
            if fact in found and fact in ours and not equal(found[fact], ours[fact]):
                yield Difference(session_id, fact, ours[fact], found[fact])
