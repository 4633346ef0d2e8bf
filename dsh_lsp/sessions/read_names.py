"""One stored log to what it tells of its session."""

from __future__ import annotations

from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.title_fold import TitleFold
from dsh_lsp.sessions.folding import Folding, Read, read
from dsh_lsp.sessions.layout import LogName
from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.resume import Resumable


def read_names(
    path: str,
    name: LogName,
    rule: TypeRule,
    stop: Stop,
    earlier: Resumable[TitleFold] | None = None,
) -> Read[TitleFold, TitleFold]:
    """The fold of a log's names.

    `earlier` is used up, whatever comes of it. Raises `ReadFailedError`, or `StoppedError` when
    asked to stop.
    """
    folding = Folding(lambda header: TitleFold(header, rule), earlier)
    return read(path, name, stop, folding, lambda fold: fold)
