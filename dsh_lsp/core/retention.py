"""Fitting one source into its byte budget (docs/snapshots.md)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dsh_lsp.core.cut import cut_to
from dsh_lsp.core.failures import BudgetExceededError
from dsh_lsp.core.javascript import stringify, utf8_length
from dsh_lsp.core.projection import ConversationItem
from dsh_lsp.core.tag_safe import snapshot_json, tag_safe


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
    fixed = utf8_length(snapshot_json(session_id, label, cwd, captured_through_seq, ()))
    kept, size = _drop_oldest(conversation, budget - fixed)
    dropped_bytes = _dropped_bytes(conversation, kept)
    shortened, cut_bytes = _shorten([conversation[place] for place in kept], size, budget - fixed)
    json = snapshot_json(session_id, label, cwd, captured_through_seq, shortened)
    omitted_messages = len(conversation) - len(shortened)
    return Snapshot(
        session_id=session_id,
        label=label,
        cwd=cwd,
        captured_through_seq=captured_through_seq,
        json=json,
        size=utf8_length(json),
        budget=budget,
        conversation=tuple(shortened),
        compacted=any(item.checkpoint for item in conversation),
        original_messages=len(conversation),
        retained_messages=len(shortened),
        omitted_messages=omitted_messages,
        omitted_bytes=dropped_bytes + cut_bytes,
        truncated=omitted_messages > 0 or cut_bytes > 0,
    )


def _drop_oldest(conversation: Sequence[ConversationItem], room: int) -> tuple[list[int], int]:
    """Places of the items that stay, in order, and the bytes that they take with their commas.

    Checkpoints and the newest item always stay. Dropping the oldest others until the rest fits
    keeps the same items as taking the newest others while they fit, and that way only what stays
    is measured.
    """
    newest = len(conversation) - 1
    kept = [place for place, item in enumerate(conversation) if item.checkpoint or place == newest]
    size = sum(_item_size(conversation[place]) for place in kept) + max(0, len(kept) - 1)
    others = []
    for place in range(newest - 1, -1, -1):
        if size >= room:
            break
        if conversation[place].checkpoint:
            continue
        size_with = size + 1 + _item_size(conversation[place])
        if size_with > room:
            break
        size = size_with
        others.append(place)
    return sorted(kept + others), size


def _dropped_bytes(conversation: Sequence[ConversationItem], kept: list[int]) -> int:
    staying = set(kept)
    return sum(
        utf8_length(item.text) for place, item in enumerate(conversation) if place not in staying
    )


def _shorten(
    items: list[ConversationItem], size: int, room: int
) -> tuple[list[ConversationItem], int]:
    """The items with the longest texts cut until all fit, and the bytes that this leaves out.

    A text is always cut from its original. Raises `BudgetExceededError` when nothing is left.
    """
    shortened = list(items)
    omitted: dict[int, int] = {}
    longest: list[tuple[int, int]] = []
    if size > room:
        longest = [(-utf8_length(item.text), place) for place, item in enumerate(items)]
        heapq.heapify(longest)
    while size > room:
        length, place = longest[0] if longest else (0, 0)
        if length == 0:
            raise BudgetExceededError(
                f"the fixed fields of a referenced session are {size - room} bytes over its "
                "budget: shorten the mention's label, or raise dsh.references.maxReferenceBytes"
            )
        cut = cut_to(items[place].text, max(0, -length - (size - room)))
        before, after = shortened[place], replace(items[place], text=cut.text)
        heapq.heapreplace(longest, (-utf8_length(cut.text), place))
        size += _item_size(after) - _item_size(before)
        shortened[place] = after
        omitted[place] = cut.omitted
    return shortened, sum(omitted.values())


_ITEM_FRAME = {role: len(f'{{"role":"{role}","text":}}') for role in ("user", "assistant")}


def _item_size(item: ConversationItem) -> int:
    """UTF-8 bytes of one item in the tag-safe JSON, without a comma."""
    return _ITEM_FRAME[item.role] + utf8_length(tag_safe(stringify(item.text)))
