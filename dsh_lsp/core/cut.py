"""Cutting one text down to a number of bytes, the harness's way (docs/snapshots.md)."""

from __future__ import annotations

from dataclasses import dataclass

_BYTE_ORDER_MARK = "\ufeff".encode()


@dataclass(frozen=True, slots=True)
class Cut:
    """A shortened text, and how many UTF-8 bytes of the original it leaves out."""

    text: str
    omitted: int


def cut_to(text: str, limit: int) -> Cut:
    """Head and tail of a text with a notice behind them, in at most `limit` UTF-8 bytes.

    When not even the notice fits, the text becomes empty. The amount kept is found by bisection,
    and because a byte order mark vanishes at the start of either half, the size does not always
    grow with it: another search than this one could end elsewhere.
    """
    whole = _Cuttable(text)
    low, high = 0, limit
    best: int | None = None
    while low <= high:
        middle = (low + high) // 2
        if whole.size(middle) <= limit:
            best, low = middle, middle + 1
        else:
            high = middle - 1
    return Cut("", len(whole.encoded)) if best is None else whole.cut(best)


class _Cuttable:
    def __init__(self, text: str) -> None:
        try:
            self.encoded = text.encode()
        except UnicodeEncodeError:  # a lone surrogate reads back as U+FFFD, also three bytes long
            units = text.encode("utf-16-le", "surrogatepass")
            self.encoded = units.decode("utf-16-le", "replace").encode()

    def size(self, kept: int) -> int:
        """UTF-8 bytes of the cut that keeps `kept` bytes, without making it."""
        head_end, tail_start = self._bounds(kept)
        tail_length = len(self.encoded) - tail_start
        marks = self._mark_at(0, head_end) + self._mark_at(tail_start, len(self.encoded))
        return head_end + tail_length - marks + len(_notice(tail_start - head_end).encode())

    def cut(self, kept: int) -> Cut:
        """The text that keeps `kept` bytes, split between its head and its tail."""
        head_end, tail_start = self._bounds(kept)
        head = self.encoded[:head_end].removeprefix(_BYTE_ORDER_MARK)
        tail = self.encoded[tail_start:].removeprefix(_BYTE_ORDER_MARK)
        omitted = tail_start - head_end
        return Cut((head + tail).decode() + _notice(omitted), omitted)

    def _bounds(self, kept: int) -> tuple[int, int]:
        """End of the head and start of the tail, both shortened to whole code points."""
        head_end = (kept + 1) // 2
        tail_start = len(self.encoded) - kept // 2
        while 0 < head_end < len(self.encoded) and _continues(self.encoded[head_end]):
            head_end -= 1
        while tail_start < len(self.encoded) and _continues(self.encoded[tail_start]):
            tail_start += 1
        return head_end, tail_start

    def _mark_at(self, start: int, end: int) -> int:
        found = self.encoded.startswith(_BYTE_ORDER_MARK, start, end)
        return len(_BYTE_ORDER_MARK) if found else 0


def _continues(byte: int) -> bool:
    return byte & 0b1100_0000 == 0b1000_0000


def _notice(omitted: int) -> str:
    return f"\n[… omitted {omitted} UTF-8 bytes …]"
