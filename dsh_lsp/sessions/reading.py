"""One stored log to its surface or its title."""

from __future__ import annotations

from collections.abc import Iterator

from dsh_lsp.core.event_types import TypeRule
from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.replay import LogReplay
from dsh_lsp.core.surface import Surface
from dsh_lsp.sessions.frames import Batch
from dsh_lsp.sessions.layout import LogName
from dsh_lsp.sessions.logfile import OpenLog, Stop, batches, header_of, open_log
from dsh_lsp.sessions.query import SessionTitle


def read_surface(path: str, name: LogName, rule: TypeRule, stop: Stop) -> tuple[Surface, str]:
    """A log's surface, and the revision of the file that it was read from.

    Raises `ReadFailedError`, or `StoppedError` when asked to stop.
    """
    with open_log(path, name) as log:
        surface = _replay(log, batches(log, stop), rule).finish()
        return surface, log.revision


def read_title(path: str, name: LogName, rule: TypeRule, stop: Stop) -> tuple[SessionTitle, str]:
    """A log's names, and the revision of the file that they were read from."""
    surface, revision = read_surface(path, name, rule, stop)
    return SessionTitle(surface.title, surface.label), revision


def _replay(log: OpenLog, pieces: Iterator[Batch], rule: TypeRule) -> LogReplay:
    header = header_of(log, next(pieces).lines[0])
    try:
        replay = LogReplay(header, rule)
        for piece in pieces:
            for line in piece.lines:
                replay.feed(line)
            if piece.ended:
                replay.settle()
    except ReadFailedError as error:
        raise ReadFailedError(f"{log.path}: {error.message}", error.reason) from error
    return replay
