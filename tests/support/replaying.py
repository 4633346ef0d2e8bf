"""Replays a scripted session, or the same lines with some of them changed."""

from __future__ import annotations

from collections.abc import Iterable

from dsh_lsp.core.log.event_types import KIND, TypeRule
from dsh_lsp.core.log.events import parse_header
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.log.title_fold import TitleFold
from dsh_lsp.core.projection import project
from tests.support.log_script import Record, Script, line


def lines_of(records: Iterable[Record]) -> list[bytes]:
    return [line(record)[:-1] for record in records]


def replayed(
    script: Script, lines: Iterable[bytes] | None = None, rule: TypeRule = KIND
) -> LogReplay:
    """A replay of the lines, or of the script's own events."""
    replay = LogReplay(parse_header(line(script.header)), rule)
    for each in lines_of(script.events) if lines is None else lines:
        replay.feed(each)
    return replay


def titled(
    script: Script, lines: Iterable[bytes] | None = None, rule: TypeRule = KIND
) -> TitleFold:
    """The same, for the names alone."""
    fold = TitleFold(parse_header(line(script.header)), rule)
    for each in lines_of(script.events) if lines is None else lines:
        fold.feed(each)
    return fold


def texts(surface: Surface) -> list[str]:
    return [item.text for item in project(surface.nodes)]
