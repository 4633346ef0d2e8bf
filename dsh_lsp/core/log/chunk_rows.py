"""Packed chunk rows of format 0: one record for a run of streamed deltas (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from dsh_lsp.core.javascript import MAX_SAFE_INTEGER, is_number, safe_integer
from dsh_lsp.core.log.events import Event, sequence_number

_SHORTEST_RUN = 3


@dataclass(frozen=True, slots=True)
class _Kind:
    """How one kind of delta is stored: alone as a chunk, and packed as a row."""

    row_type: str
    delta_type: str
    text_key: str  # of a chunk
    texts_key: str  # of a row
    id_keys: tuple[str, ...] = ()
    optional_id_keys: tuple[str, ...] = ()


_KINDS = (
    _Kind("text-chunks", "text-delta", "text", "texts"),
    _Kind("reasoning-chunks", "reasoning-delta", "text", "texts"),
    _Kind("tool-call-chunks", "tool-call-delta", "argumentsDelta", "args", ("id",), ("name",)),
)
_BY_ROW = {kind.row_type: kind for kind in _KINDS}
ROW_TYPES = frozenset(_BY_ROW)
"""The types by which packed rows are known."""

_BY_DELTA = {kind.delta_type: kind for kind in _KINDS}
_NUMBER_KEYS = ("turn", "step", "index")


@dataclass(frozen=True, slots=True)
class _Delta:
    """A chunk event that may join a run: what a whole run shares, and what is its own."""

    kind: _Kind
    shared: tuple[tuple[str, Any], ...]
    ids: tuple[tuple[str, str], ...]
    seq: int
    time: int
    text: str


def pack_chunks(events: Iterable[Event]) -> list[Event]:
    """The records to store for some events: runs of three or more deltas become packed rows."""
    records: list[Event] = []
    run: list[tuple[Event, _Delta]] = []
    for event in events:
        delta = _as_delta(event)
        if run and (delta is None or not _follows(run[-1][1], delta)):
            records += _store(run)
            run = []
        if delta is None:
            records.append(event)
        else:
            run.append((event, delta))
    records += _store(run)
    return records


def unpack_row(record: Any) -> list[Any]:
    """The events that one stored record stands for. Raises ValueError for a malformed row."""
    row_type = record.get("type") if isinstance(record, dict) else None
    if not isinstance(row_type, str) or row_type not in ROW_TYPES:
        return [record]
    kind, seq0, times, data = _checked(record)
    ids = {key: data[key] for key in (*kind.id_keys, *kind.optional_id_keys) if key in data}
    return [
        {
            "type": "assistant/chunk",
            "seq": int(float(seq0 + place)),  # a JavaScript number, beyond its exact range too
            "time": time,
            "data": {
                "turn": data["turn"],
                "step": data["step"],
                "chunk": {
                    "type": kind.delta_type,
                    "index": data["index"],
                    **ids,
                    kind.text_key: text,
                },
            },
        }
        for place, (time, text) in enumerate(zip(times, data[kind.texts_key], strict=True))
    ]


def row_length(record: Any) -> int:
    """How many events a packed row stands for. Raises ValueError for a malformed row."""
    return len(_checked(record)[2])


def _checked(record: dict[str, Any]) -> tuple[_Kind, int, list[int], dict[str, Any]]:
    kind = _BY_ROW[record["type"]]
    if record.keys() != {"type", "seq0", "time0", "data"}:
        raise ValueError("a packed row has missing or extra keys")
    data = record["data"]
    needed = {*_NUMBER_KEYS, "dt", kind.texts_key, *kind.id_keys}
    if not isinstance(data, dict) or not needed <= data.keys() <= needed | {*kind.optional_id_keys}:
        raise ValueError("the data of a packed row has missing or extra keys")
    seq0, time0 = sequence_number(record["seq0"]), safe_integer(record["time0"])
    gaps, texts = data["dt"], data[kind.texts_key]
    if seq0 is None or time0 is None or not all(is_number(data[key]) for key in _NUMBER_KEYS):
        raise ValueError("a packed row holds something else where a number belongs")
    if not isinstance(texts, list) or not isinstance(gaps, list) or len(gaps) != len(texts) - 1:
        raise ValueError("a packed row needs one time gap less than it has texts")
    named = [data[key] for key in (*kind.id_keys, *kind.optional_id_keys) if key in data]
    if {*map(type, texts), *map(type, named)} != {str}:
        raise ValueError("a packed row holds something else where text belongs")
    return kind, seq0, _running_times(time0, gaps), data


def _running_times(time0: int, gaps: list[Any]) -> list[int]:
    steps = gaps if {*map(type, gaps)} <= {int} else [safe_integer(gap) for gap in gaps]
    if None not in steps:
        times = list(accumulate(steps, initial=time0))
        if max(map(abs, (*steps, *times))) <= MAX_SAFE_INTEGER:
            return times
    raise ValueError("a packed row holds a time gap that is not a safe integer")


def _as_delta(event: Any) -> _Delta | None:
    if not isinstance(event, dict) or event.keys() != {"type", "seq", "time", "data"}:
        return None
    data = event["data"]
    chunk = data.get("chunk") if isinstance(data, dict) else None
    if event["type"] != "assistant/chunk" or not isinstance(chunk, dict):
        return None
    delta_type = chunk.get("type")
    kind = _BY_DELTA.get(delta_type) if isinstance(delta_type, str) else None
    if kind is None or data.keys() != {"turn", "step", "chunk"}:
        return None
    needed = {"type", "index", kind.text_key, *kind.id_keys}
    if not needed <= chunk.keys() <= needed | {*kind.optional_id_keys}:
        return None
    shared = tuple(zip(_NUMBER_KEYS, (data["turn"], data["step"], chunk["index"]), strict=True))
    ids = tuple(
        (key, chunk[key]) for key in (*kind.id_keys, *kind.optional_id_keys) if key in chunk
    )
    seq, time = sequence_number(event["seq"]), safe_integer(event["time"])
    texts = (chunk[kind.text_key], *(value for _, value in ids))
    if seq is None or time is None or not all(is_number(value) for _, value in shared):
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    return _Delta(kind, shared, ids, seq, time, texts[0])


def _follows(last: _Delta, delta: _Delta) -> bool:
    return (
        (last.kind, last.shared, last.ids, last.seq + 1)
        == (delta.kind, delta.shared, delta.ids, delta.seq)
    ) and abs(delta.time - last.time) <= MAX_SAFE_INTEGER


def _store(run: list[tuple[Event, _Delta]]) -> list[Event]:
    if len(run) < _SHORTEST_RUN:
        return [event for event, _ in run]
    deltas = [delta for _, delta in run]
    first = deltas[0]
    gaps = [after.time - before.time for before, after in pairwise(deltas)]
    return [
        {
            "type": first.kind.row_type,
            "seq0": first.seq,
            "time0": first.time,
            "data": {
                **dict(first.shared),
                "dt": gaps,
                **dict(first.ids),
                first.kind.texts_key: [delta.text for delta in deltas],
            },
        }
    ]
