"""Fitting one source into its byte budget (docs/snapshots.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsh_lsp.core.projection import ConversationItem


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One source as the model will get it. Sizes are UTF-8 bytes.

    `json` is the tag-safe object of docs/snapshots.md, `size` its UTF-8 size, and
    `conversation` what it holds; the rest are the facts that the message's source records.
    """

    session_id: str
    label: str
    cwd: str | None
    captured_through_seq: int | None
    json: str
    size: int
    budget: int
    conversation: tuple[ConversationItem, ...]
    compacted: bool
    original_messages: int
    retained_messages: int
    omitted_messages: int
    omitted_bytes: int
    truncated: bool


def retain(
    *,
    session_id: str,
    label: str,
    cwd: str | None,
    captured_through_seq: int | None,
    conversation: Sequence[ConversationItem],
    budget: int,
) -> Snapshot:
    """The largest part of a conversation that the budget allows, by the harness's own rule.

    Linear in the conversation. Raises `BudgetExceededError` when even the fixed fields do not fit.
    """
    raise NotImplementedError
