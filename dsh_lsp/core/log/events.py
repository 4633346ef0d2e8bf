"""The lines of a session log as values: the header, and the shape of an event (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dsh_lsp.core.javascript import MAX_SAFE_INTEGER, parse, safe_integer

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
    """The header of a log, of any format. Raises ValueError saying which field is wrong.

    Fields that this reader does not know are passed over.
    """
    record = parse_line(line)
    if record.get("type") != "session":
        raise ValueError("the first line of the log is not a session header")
    session_id = _text(record, "id")
    if session_id is None:
        raise ValueError("the session header has no `id`")
    seeded = record.get("isSeeded", False)
    if not isinstance(seeded, bool):
        raise ValueError("`isSeeded` of the session header is neither true nor false")  # noqa: TRY004
    return SessionHeader(
        id=session_id,
        created_at=_count(record, "createdAt"),
        format_version=_count(record, "version"),
        cwd=_shared(_text(record, "cwd")),
        parent_session=_text(record, "parentSession"),
        is_seeded=seeded,
        seed_length=_count(record, "seedLength") if "seedLength" in record else None,
        origin=_text(record, "origin"),
        delegation_depth=_count(record, "delegationDepth"),
        agent_preset=_text(record, "agentPreset"),
    )


def parse_line(line: bytes) -> dict[str, Any]:
    """One line of a log as an object. Raises ValueError.

    Bytes that are not UTF-8 read as U+FFFD, as they do in the harness.
    """
    try:
        record = parse(line)
    except ValueError:
        record = parse(line.decode("utf-8", "replace"))
    if not isinstance(record, dict):
        raise ValueError("the line is not a JSON object")  # noqa: TRY004
    return record


def sequence_number(value: Any) -> int | None:
    """A parsed JSON value as an exact whole number from 0; None for others."""
    number = value if type(value) is int and value <= MAX_SAFE_INTEGER else safe_integer(value)
    return None if number is None or number < 0 else number


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"`{name}` of the session header is not a string")
    return value


@lru_cache(maxsize=256)
def _shared(text: str | None) -> str | None:
    """The same text as one object: thousands of sessions have one of a few."""
    return text


def _count(record: Mapping[str, Any], name: str) -> int:
    count = sequence_number(record.get(name))
    if count is None:
        raise ValueError(f"`{name}` of the session header is not a whole number from 0")
    return count
