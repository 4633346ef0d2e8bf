"""Scanning a text again after an edit: only around what changed (docs/architecture.md)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from dsh_lsp.core.mentions import Mention, Scan, Unclosed, scan_on
from dsh_lsp.core.text import Span

_STEP = 1 << 16  # code points that are compared at a time


def scan_again(text: str, start: int, earlier: Scan, earlier_text: str, earlier_start: int) -> Scan:
    """What `scan_from(text, start)` finds, given what it found in another text.

    Mentions are kept as long as nothing that was looked at for them has changed. From there on the
    new text is read until a mention ends where one ended before, with nothing but known text
    behind it.
    """
    same_until = _common_prefix(text, earlier_text) if start == earlier_start else start
    same_from = len(text) - _common_suffix(text, earlier_text, same_until)
    shift = len(text) - len(earlier_text)
    kept = _first(earlier, bisect_right(earlier.reaches, same_until))
    if kept.mentions:
        start = kept.mentions[-1].span.end
    borders = _Borders(earlier)

    def is_known(end: int, unclosed_end: int) -> bool:
        return end >= same_from and unclosed_end <= end and borders.lie_at(end - shift)

    found = scan_on(text, start, kept, is_known)
    end = found.mentions[-1].span.end if found.mentions else -1
    if len(found.mentions) == len(kept.mentions) or not is_known(end, _unclosed_end(found)):
        return found
    rest = bisect_right(borders.ends, end - shift)
    reach = found.reaches[-1]
    return Scan(
        (*found.mentions, *(_moved(each, shift) for each in earlier.mentions[rest:])),
        (
            *found.unclosed,
            *(
                _moved_unclosed(each, shift)
                for each in earlier.unclosed
                if each.span.start >= end - shift
            ),
        ),
        (*found.reaches, *(max(reach, each + shift) for each in earlier.reaches[rest:])),
    )


def _first(scan: Scan, count: int) -> Scan:
    """The scan as it was when it had found so many mentions."""
    if not count:
        return Scan((), ())
    last = scan.mentions[count - 1].span.start
    unclosed = tuple(each for each in scan.unclosed if each.span.start < last)
    return Scan(scan.mentions[:count], unclosed, scan.reaches[:count])


class _Borders:
    """Where a scan can be left and gone on with, knowing nothing of what lies before."""

    def __init__(self, scan: Scan) -> None:
        self.ends = [mention.span.end for mention in scan.mentions]
        self._starts = [each.span.start for each in scan.unclosed]
        self._unclosed = scan.unclosed

    def lie_at(self, end: int) -> bool:
        """Whether a mention ends there, and no unclosed one before goes on."""
        place = bisect_left(self.ends, end)
        if place == len(self.ends) or self.ends[place] != end:
            return False
        count = bisect_left(self._starts, end)  # the last of them reaches farthest
        return not count or self._unclosed[count - 1].span.end <= end


def _unclosed_end(scan: Scan) -> int:
    return scan.unclosed[-1].span.end if scan.unclosed else 0


def _moved(mention: Mention, shift: int) -> Mention:
    if not shift:
        return mention
    label_end = mention.label_end
    return Mention(
        _span(mention.span, shift),
        mention.label,
        mention.uri,
        mention.session_id,
        mention.fault,
        None if label_end is None else label_end + shift,
    )


def _moved_unclosed(unclosed: Unclosed, shift: int) -> Unclosed:
    spans = (unclosed.span, unclosed.label_span, unclosed.uri_span)
    return Unclosed(*(_span(each, shift) for each in spans))


def _span(span: Span, shift: int) -> Span:
    return Span(span.start + shift, span.end + shift)


def _common_prefix(one: str, other: str) -> int:
    """How many code points two texts begin with in common."""
    longest = min(len(one), len(other))
    place = 0
    while place < longest and one[place : place + _STEP] == other[place : place + _STEP]:
        place += _STEP
    end = min(place + _STEP, longest)
    if place >= longest:
        return longest
    return place + _first_difference(one[place:end], other[place:end])


def _first_difference(one: str, other: str) -> int:
    return bisect_left(range(len(one)), True, key=lambda n: one[: n + 1] != other[: n + 1])


def _common_suffix(one: str, other: str, beyond: int) -> int:
    """How many they end with in common, none of them before `beyond`."""
    longest = min(len(one), len(other)) - beyond
    count = 0
    while count < longest:
        step = min(_STEP, longest - count)
        ends = len(one) - count, len(other) - count
        parts = one[ends[0] - step : ends[0]], other[ends[1] - step : ends[1]]
        if parts[0] != parts[1]:
            return count + _last_difference(*parts)
        count += step
    return max(longest, 0)


def _last_difference(one: str, other: str) -> int:
    size = len(one)
    return bisect_left(
        range(size), True, key=lambda n: one[size - n - 1 :] != other[size - n - 1 :]
    )
