"""One stored log to its surface."""

from __future__ import annotations

from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.events import SessionHeader
from dsh_lsp.core.log.keep import conversation_of
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.sessions.folding import Folding, Read, read
from dsh_lsp.sessions.layout import LogName
from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.resume import Resumable


def read_surface(
    path: str,
    name: LogName,
    rule: TypeRule,
    stop: Stop,
    earlier: Resumable[LogReplay] | None = None,
) -> Read[Surface, LogReplay]:
    """A log's surface. Nodes hold what a projection needs and no more.

    `earlier` is used up, whatever comes of it. Raises `ReadFailedError`, or `StoppedError` when
    asked to stop.
    """

    def begin(header: SessionHeader) -> LogReplay:
        return LogReplay(header, rule, conversation_of(header.format_version))

    return read(path, name, stop, Folding(begin, earlier), LogReplay.finish)
