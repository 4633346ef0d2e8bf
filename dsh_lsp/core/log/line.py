"""One line of a log: one event, or a packed row that stands for several (docs/storage.md)."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from dsh_lsp.core.log.chunk_rows import ROW_TYPES, row_length
from dsh_lsp.core.log.events import Event, parse_line, sequence_number

_LAST_FORMAT_WITH_ROWS = 1


class LogLine(NamedTuple):
    """A line as parsed. `event` is None for a packed row, whose events nobody needs one by one.

    `seq` numbers the first of its `length` events; it is None when the line bears no number.
    """

    event: Event | None
    seq: int | None
    length: int
    ends_turn: bool


def split_lines(text: bytes) -> list[bytes]:
    """The lines, without their LF, of a text that ends with one or is empty."""
    return text[:-1].split(b"\n") if text else []


def read_log_line(line: bytes, format_version: int) -> LogLine:
    """The line, given without its line feed. Raises ValueError for what is not an event."""
    record = _parse(line)
    event_type = record.get("type")
    if not isinstance(event_type, str):
        raise ValueError("an event without a type")  # noqa: TRY004
    if event_type in ROW_TYPES and format_version <= _LAST_FORMAT_WITH_ROWS:
        length = row_length(record)
        return LogLine(None, sequence_number(record["seq0"]), length, ends_turn=False)
    seq = sequence_number(record.get("seq"))
    return LogLine(record, seq, 1, ends_turn=event_type == "turn/end")


def _parse(line: bytes) -> dict[str, Any]:
    """As `parse_line`, which is only needed for what orjson does not read."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return parse_line(line)
    if type(record) is not dict:
        raise ValueError("the line is not a JSON object")
    return record
