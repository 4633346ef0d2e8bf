"""One stored log to its surface or its title."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from dsh_lsp.core.display import one_line
from dsh_lsp.core.event_types import TypeRule
from dsh_lsp.core.events import SessionHeader
from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.keep import conversation_only
from dsh_lsp.core.replay import LogReplay
from dsh_lsp.core.surface import Surface
from dsh_lsp.core.title_fold import TitleFold
from dsh_lsp.sessions.layout import LogName
from dsh_lsp.sessions.logfile import Stop, batches, header_of, open_log
from dsh_lsp.sessions.query import SessionTitle


class _Fold(Protocol):
    """Takes the lines of a log behind its header."""

    def feed(self, line: bytes) -> None: ...

    def settle(self) -> None: ...


Fold = TypeVar("Fold", bound=_Fold)


def read_surface(path: str, name: LogName, rule: TypeRule, stop: Stop) -> tuple[Surface, str]:
    """A log's surface, and the revision of the file that it was read from.

    Nodes hold what a projection needs and no more. Raises `ReadFailedError`, or `StoppedError`
    when asked to stop.
    """
    replay, revision = _fold(
        path, name, stop, lambda header: LogReplay(header, rule, conversation_only)
    )
    return replay.finish(), revision


def read_title(path: str, name: LogName, rule: TypeRule, stop: Stop) -> tuple[SessionTitle, str]:
    """A log's names, and the revision of the file that they were read from.

    Raises `ReadFailedError`, or `StoppedError` when asked to stop.
    """
    fold, revision = _fold(path, name, stop, lambda header: TitleFold(header, rule))
    return SessionTitle(fold.facts.title, fold.facts.label), revision


def _fold(
    path: str, name: LogName, stop: Stop, begin: Callable[[SessionHeader], Fold]
) -> tuple[Fold, str]:
    """A fold that has taken in a whole log.

    Only a whole frame settles: a plain log has none, and of a torn one the end may be missing.
    """
    try:
        with open_log(path, name) as log:
            pieces = batches(log, stop)
            fold = begin(header_of(next(pieces).lines[0]))
            for piece in pieces:
                for line in piece.lines:
                    fold.feed(line)
                if piece.ended:
                    fold.settle()
            return fold, log.revision
    except ReadFailedError as error:
        raise ReadFailedError(f"{one_line(path)}: {error.message}", error.reason) from error
