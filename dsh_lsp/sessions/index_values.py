"""Headers, names and folds as the bytes that an index keeps, and back.

Values read back are checked as far as using them unchecked could go wrong; what does not fit is
simply not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import zstandard

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.javascript import compact_bytes, parse
from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.events import SessionHeader, parse_header
from dsh_lsp.core.log.keep import conversation_of
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.core.log.title_fold import TitleFold
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.resume import Mark, Resumable

_MOST_BYTES = 1 << 30

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


@dataclass(frozen=True, slots=True)
class KeptNames:
    """What a log tells of its session, and where its fold can go on, if it is worth that.

    The title is the same object for as long as it counts.
    """

    title: SessionTitle
    context_window: int | None
    resumable: Resumable[TitleFold] | None = None


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


def names_bytes(names: KeptNames, state: dict[str, Any] | None) -> bytes:
    """Names and where they were folded up to, with the `state` of that fold: it may go on."""
    facts = [names.title.title, names.title.label, names.context_window]
    record: dict[str, Any] = {"facts": facts}
    if names.resumable is not None and state is not None:
        record |= _resumable_record(names.resumable, state)
    return compact_bytes(record)


def names_from(value: bytes, rule: TypeRule) -> KeptNames | None:
    """The names that `names_bytes` wrote."""
    try:
        record = parse(value)
        title, label, window = record["facts"]
        if not all(text is None or isinstance(text, str) for text in (title, label)):
            return None
        if not (window is None or isinstance(window, int)):
            return None
        resumable = None
        if "state" in record:
            header = parse_header(record["header"].encode())
            fold = TitleFold.restored(header, rule, record["state"])
            resumable = Resumable(header, fold, Mark.from_json(record["mark"]))
        return KeptNames(SessionTitle(title, label), window, resumable)
    except (ValueError, TypeError, LookupError, AttributeError, ReadFailedError):
        return None


def surface_bytes(resumable: Resumable[LogReplay], state: dict[str, Any]) -> bytes:
    """A fold of which `state` was taken; it may have gone on since."""
    text = compact_bytes(_resumable_record(resumable, state))
    return zstandard.ZstdCompressor(level=1).compress(text)


def surface_from(value: bytes, rule: TypeRule) -> Resumable[LogReplay] | None:
    """The fold that `surface_bytes` wrote."""
    try:
        text = zstandard.ZstdDecompressor().decompress(value, max_output_size=_MOST_BYTES)
        record = parse(text)
        header = parse_header(record["header"].encode())
        keep = conversation_of(header.format_version)
        replay = LogReplay.restored(header, rule, keep, record["state"])
        return Resumable(header, replay, Mark.from_json(record["mark"]))
    except (ValueError, TypeError, LookupError, AttributeError, ReadFailedError):
        return None
    except zstandard.ZstdError:
        return None


def _resumable_record(resumable: Resumable[Any], state: dict[str, Any]) -> dict[str, Any]:
    header = header_bytes(resumable.header).decode()
    return {"header": header, "mark": resumable.mark.as_json(), "state": state}
