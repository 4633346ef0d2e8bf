"""One line of a log: one event, or a packed row that stands for several (docs/storage.md)."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.core.chunk_rows import is_row, row_length
from dsh_lsp.core.events import Event, parse_line, sequence_number

_LAST_FORMAT_WITH_ROWS = 1


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line as parsed. `event` is None for a packed row, whose events nobody needs one by one.

    `seq` numbers the first of its `count` events; it is None when the line bears no number.
    """

    event: Event | None
    seq: int | None
    count: int
    ends_turn: bool


def read_log_line(line: bytes, format_version: int) -> LogLine:
    """The line, given without its line feed. Raises ValueError for what is not an event."""
    record = parse_line(line)
    if format_version <= _LAST_FORMAT_WITH_ROWS and is_row(record):
        count = row_length(record)
        return LogLine(None, sequence_number(record["seq0"]), count, ends_turn=False)
    event_type = record.get("type")
    if not isinstance(event_type, str):
        raise ValueError("an event without a type")  # noqa: TRY004
    return LogLine(
        record, sequence_number(record.get("seq")), 1, ends_turn=event_type == "turn/end"
    )
