"""Records of a session log: header and event lines, and the packed chunk rows of format 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NEWEST_FORMAT = 4

Event = Mapping[str, Any]
"""One parsed event: type, seq, time, data, and perhaps surfaceOp, sourceEventSeqs, ignorable."""


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """The first line of a log. Times are Unix milliseconds."""

    id: str
    created_at: int
    format_version: int
    cwd: str | None = None
    parent_session: str | None = None
    is_seeded: bool = False
    seed_length: int | None = None  # formats 0 and 1
    origin: str | None = None  # "subagent", or None
    delegation_depth: int = 0
    agent_preset: str | None = None


def parse_header(line: bytes) -> SessionHeader:
    """The header of a log. Raises ValueError saying which field is wrong."""
    raise NotImplementedError


def pack_chunks(events: list[Event]) -> list[Event]:
    """Join runs of three or more assistant delta chunks into packed rows."""
    raise NotImplementedError


def unpack_row(record: Any) -> list[Any]:
    """The events that one stored record stands for. Raises ValueError for a malformed row."""
    raise NotImplementedError
