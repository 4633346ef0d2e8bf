"""Headers as the bytes that an index keeps, and back; what does not fit is simply not there."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.javascript import compact_bytes
from dsh_lsp.core.log.events import SessionHeader, parse_header
from dsh_lsp.sessions.resume import Resumable

_HEADER_FIELDS = {
    "id": "id",
    "created_at": "createdAt",
    "format_version": "version",
    "cwd": "cwd",
    "parent_session": "parentSession",
    "is_seeded": "isSeeded",
    "seed_length": "seedLength",
    "origin": "origin",
    "delegation_depth": "delegationDepth",
    "agent_preset": "agentPreset",
}


def header_bytes(header: SessionHeader) -> bytes:
    """A header as the line of a log that tells it."""
    fields = ((key, getattr(header, name)) for name, key in _HEADER_FIELDS.items())
    record = {"type": "session"} | {key: value for key, value in fields if value is not None}
    return compact_bytes(record)


def header_from(value: bytes) -> SessionHeader | None:
    """The header that `header_bytes` wrote."""
    try:
        return parse_header(value)
    except ValueError:
        return None


def resumable_record(resumable: Resumable[Any], state: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a fold of any kind, whose `state` was taken."""
    header = header_bytes(resumable.header).decode()
    return {"header": header, "mark": resumable.mark.as_json(), "state": state}
