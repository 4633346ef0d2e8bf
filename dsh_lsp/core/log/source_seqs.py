"""`sourceEventSeqs`: the events that another event was made from (docs/storage.md)."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

from dsh_lsp.core.log.events import Event, sequence_number


def check_single_sources(event: Event, seq: int, shadowed: list[tuple[int, Event]]) -> None:
    """The rule of 0.1.0: distinct earlier numbers that name every node replaced.

    Raises ValueError.
    """
    if "sourceEventSeqs" not in event:
        if shadowed:
            raise ValueError("it replaces nodes without naming them as its sources")
        return
    sources = event["sourceEventSeqs"]
    if not isinstance(sources, list):
        raise ValueError("its sources are not a list")  # noqa: TRY004
    if not sources and event["type"] != "assistant/message":
        raise ValueError("its list of sources is empty")
    numbers = {sequence_number(source) for source in sources}
    if len(numbers) < len(sources) or not all(_earlier(number, seq) for number in numbers):
        raise ValueError("its sources are not distinct earlier events")
    for number, _ in shadowed:
        if number not in numbers:
            raise ValueError(f"it replaces event {number} without naming it as a source")


def check_covering_sources(event: Event, _seq: int, shadowed: list[tuple[int, Event]]) -> None:
    """The rule that all hosts of format 0 keep: numbers or ranges that cover every node replaced.

    0.1.2 writes a run of sources as a range, which 0.1.0 does not. Raises ValueError.
    """
    if not shadowed:
        return
    sources = event.get("sourceEventSeqs")
    ranges = sorted(_range(source) for source in (sources if isinstance(sources, list) else ()))
    starts = [start for start, _ in ranges]
    reach = list(accumulate((end for _, end in ranges), max))
    for number, _ in shadowed:
        place = bisect_right(starts, number) - 1
        if place < 0 or reach[place] < number:
            raise ValueError(f"it replaces event {number} without naming it as a source")


def _earlier(number: int | None, seq: int) -> bool:
    return number is not None and number < seq


def _range(source: Any) -> tuple[int, int]:
    ends = source if isinstance(source, list) and len(source) == 2 else [source, source]
    start, end = (sequence_number(number) for number in ends)
    if start is None or end is None or end < start:
        raise ValueError("its sources are neither event numbers nor ranges of them")
    return start, end
