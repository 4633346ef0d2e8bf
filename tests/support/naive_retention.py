"""The retention rule followed step by step, measuring everything anew each time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass
class Kept:
    role: str
    original: str
    checkpoint: bool
    text: str
    cut: int = 0


@dataclass(frozen=True)
class NaiveResult:
    json: str
    omitted_messages: int
    omitted_bytes: int


def naive_retain(fields: dict[str, Any], items: list[tuple[str, str, bool]], budget: int) -> Any:
    """The result, or None when the budget cannot be met. Texts hold no lone surrogates."""
    kept = [Kept(role, text, checkpoint, text) for role, text, checkpoint in items]
    dropped = dropped_bytes = 0
    while _size(fields, kept) > budget:
        places = [place for place, item in enumerate(kept[:-1]) if not item.checkpoint]
        if not places:
            break
        dropped += 1
        dropped_bytes += len(kept.pop(places[0]).original.encode())
    while (size := _size(fields, kept)) > budget:
        item = max(kept, key=lambda item: len(item.text.encode()), default=None)
        if item is None or not item.text:
            return None
        target = max(0, len(item.text.encode()) - (size - budget))
        item.text, item.cut = _cut(item.original, target)
    return NaiveResult(_json(fields, kept), dropped, dropped_bytes + sum(item.cut for item in kept))


def _json(fields: dict[str, Any], kept: list[Kept]) -> str:
    conversation = [{"role": item.role, "text": item.text} for item in kept]
    value = {**fields, "conversation": conversation}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _size(fields: dict[str, Any], kept: list[Kept]) -> int:
    return len(_json(fields, kept).encode())


def _cut(text: str, target: int) -> tuple[str, int]:
    whole = text.encode()
    best = ("", len(whole))
    low, high = 0, target
    while low <= high:
        middle = (low + high) // 2
        head = whole[: middle - middle // 2].decode("utf-8", "ignore").encode()
        tail = whole[len(whole) - middle // 2 :]
        while tail and tail[0] & 0xC0 == 0x80:
            tail = tail[1:]
        omitted = len(whole) - len(head) - len(tail)
        shown = head.decode().removeprefix("\ufeff") + tail.decode().removeprefix("\ufeff")
        shown += f"\n[… omitted {omitted} UTF-8 bytes …]"
        if len(shown.encode()) <= target:
            best, low = (shown, omitted), middle + 1
        else:
            high = middle - 1
    return best
