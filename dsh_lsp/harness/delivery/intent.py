"""The wish to send one prompt, as a file keeps it (docs/harness.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dsh_lsp.core.javascript import compact_bytes, parse, safe_integer
from dsh_lsp.harness.port import Letter, Mode, Outgoing

FORMAT = 1

MAX_SIZE = 64 << 20
"""Bytes of one record."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_MEMBERS = {
    *("format", "requestId", "sessionId", "text", "mode", "timeZone", "references", "document"),
    *("createdAt", "attemptedAt", "attempts", "phase"),
}


class Phase(StrEnum):
    """What is known of the latest attempt."""

    KEPT = "kept"  # there was none
    SENDING = "sending"  # begun; nothing has been answered
    UNKNOWN = "unknown"  # begun, and the answer was lost
    ACCEPTED = "accepted"  # the harness said yes, or was seen to have it


@dataclass(frozen=True, slots=True)
class Intent:
    """A letter that is kept or being sent. Times are Unix milliseconds.

    Until there was an attempt, `attempted_at` is when it was kept. `attempts` is for people who
    look into the file.
    """

    letter: Letter
    created_at: int
    attempted_at: int
    attempts: int = 1
    phase: Phase = Phase.SENDING

    @property
    def outgoing(self) -> Outgoing:
        """The prompt itself."""
        return self.letter.outgoing


def is_request_id(value: str) -> bool:
    """Whether a request id is one of ours, so that it can name a file."""
    return _REQUEST_ID.fullmatch(value) is not None


def write_intent(intent: Intent) -> bytes:
    """A record as `read_intent` reads it. Raises ValueError when it is too large."""
    outgoing = intent.outgoing
    record = compact_bytes(
        {
            "format": FORMAT,
            "requestId": outgoing.request_id,
            "sessionId": outgoing.session_id,
            "text": outgoing.text,
            "mode": outgoing.mode.value,
            "timeZone": outgoing.time_zone,
            "references": [dict(each) for each in intent.letter.references],
            "document": intent.letter.document,
            "createdAt": intent.created_at,
            "attemptedAt": intent.attempted_at,
            "attempts": intent.attempts,
            "phase": intent.phase.value,
        }
    )
    if len(record) > MAX_SIZE:
        raise ValueError("the prompt is too large")
    return record


def read_intent(record: bytes) -> Intent:
    """The intent of a record. Raises ValueError, with a reason for people, for anything else."""
    value = parse(record)
    if not isinstance(value, dict) or "format" not in value:
        raise ValueError("it is not a record of the outbox")
    if value["format"] != FORMAT or isinstance(value["format"], bool):
        raise ValueError("another version of dsh-lsp wrote it")
    if value.keys() != _MEMBERS:
        raise ValueError("its members are not those of a record")
    request_id = _text(value, "requestId")
    if not is_request_id(request_id):
        raise ValueError("requestId cannot be one of ours")
    outgoing = Outgoing(
        request_id,
        _text(value, "sessionId"),
        _text(value, "text"),
        Mode(_text(value, "mode")),
        _optional_text(value, "timeZone"),
    )
    letter = Letter(outgoing, _references(value["references"]), _optional_text(value, "document"))
    return Intent(
        letter,
        created_at=_count(value, "createdAt"),
        attempted_at=_count(value, "attemptedAt"),
        attempts=_count(value, "attempts"),
        phase=Phase(_text(value, "phase")),
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value[key]
    if not isinstance(text, str):
        raise ValueError(f"{key} is no text")  # noqa: TRY004 - one kind of error for every record
    return text


def _optional_text(value: Mapping[str, Any], key: str) -> str | None:
    return None if value[key] is None else _text(value, key)


def _count(value: Mapping[str, Any], key: str) -> int:
    number = safe_integer(value[key])
    if number is None or number < 0:
        raise ValueError(f"{key} is no count")
    return number


def _references(value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ValueError("references are no list of objects")
    return tuple(value)
