"""What logs tell of their sessions, as the bytes that an index keeps, and back.

Values read back are checked as far as using them unchecked could go wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.javascript import compact_bytes, parse
from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.events import parse_header
from dsh_lsp.core.log.title_fold import TitleFold
from dsh_lsp.sessions.kept_headers import resumable_record
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.resume import Mark, Resumable


@dataclass(frozen=True, slots=True)
class KeptNames:
    """What a log tells of its session, and where its fold can go on, if it is worth that.

    The title is the same object for as long as it counts.
    """

    title: SessionTitle
    context_window: int | None
    resumable: Resumable[TitleFold] | None = None


def names_bytes(names: KeptNames, state: dict[str, Any] | None) -> bytes:
    """Names and where they were folded up to, with the `state` of that fold: it may go on."""
    facts = [names.title.title, names.title.label, names.context_window]
    record: dict[str, Any] = {"facts": facts}
    if names.resumable is not None and state is not None:
        record |= resumable_record(names.resumable, state)
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
