"""Folds of whole conversations as the bytes that an index keeps, and back.

Values read back are checked as far as using them unchecked could go wrong.
"""

from __future__ import annotations

from typing import Any

import zstandard

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.javascript import compact_bytes, parse
from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.events import parse_header
from dsh_lsp.core.log.keep import conversation_of
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.sessions.kept_headers import resumable_record
from dsh_lsp.sessions.resume import Mark, Resumable

_MOST_BYTES = 1 << 30


def surface_bytes(resumable: Resumable[LogReplay], state: dict[str, Any]) -> bytes:
    """A fold of which `state` was taken; it may have gone on since."""
    text = compact_bytes(resumable_record(resumable, state))
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
