"""The JSON of one source, in which no text can close the tag around it (docs/snapshots.md)."""

from __future__ import annotations

from collections.abc import Iterable

from dsh_lsp.core.javascript import stringify
from dsh_lsp.core.projection import ConversationItem

LESS_THAN = "\\u003c"
"""How `<` is written: the same string to every JSON reader, and no tag to a reader of text."""


def tag_safe(json: str) -> str:
    """JSON with every `<` escaped. In JSON `<` occurs only inside strings, so nothing is lost."""
    return json.replace("<", LESS_THAN)


def snapshot_json(
    session_id: str,
    label: str,
    cwd: str | None,
    captured_through_seq: int | None,
    conversation: Iterable[ConversationItem],
) -> str:
    """The tag-safe JSON object of one source, keys in the harness's order."""
    return tag_safe(
        stringify(
            {
                "sessionId": session_id,
                "label": label,
                "cwd": cwd,
                "capturedThroughSeq": captured_through_seq,
                "conversation": [{"role": item.role, "text": item.text} for item in conversation],
            }
        )
    )
