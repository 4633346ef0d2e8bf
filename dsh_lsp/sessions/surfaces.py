"""Folded surfaces, kept by the revision of their logs and resumed when those grow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.log.event_types import TypeRule
from dsh_lsp.core.log.events import Event
from dsh_lsp.core.log.keep import text_length
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.sessions.cache import RevisionCache
from dsh_lsp.sessions.index import Index, Kind
from dsh_lsp.sessions.kept_surfaces import surface_bytes, surface_from
from dsh_lsp.sessions.logfile import Stop
from dsh_lsp.sessions.names import LASTING
from dsh_lsp.sessions.read_surface import read_surface
from dsh_lsp.sessions.resume import Resumable
from dsh_lsp.sessions.scan import FoundLog

SURFACE_MEMORY = 64 << 20
"""About how many bytes of surfaces are kept."""

_NODE = 2_000
_WORTH_WRITING = 4 << 20  # bytes that a log has grown by, beyond what can be resumed from disk


@dataclass(frozen=True, slots=True)
class _Kept:
    surface: Surface
    weight: int
    resumable: Resumable[LogReplay] | None


class Surfaces:
    """Reads and keeps surfaces. Blocking; a log must not be read by two threads at a time."""

    def __init__(self, rule: TypeRule, index: Index) -> None:
        self._rule = rule
        self._index = index
        self._kept: RevisionCache[_Kept | ReadFailedError] = RevisionCache(SURFACE_MEMORY)
        self._written: dict[str, int] = {}  # offsets on disk

    def at_hand(self, log: FoundLog) -> Surface | None:
        """The surface if it is known without reading. Raises `ReadFailedError` if that is known."""
        kept = self._kept.get(log.path, log.revision)
        if isinstance(kept, ReadFailedError):
            raise ReadFailedError(kept.message, kept.reason)
        return kept.surface if kept else None

    def read(self, log: FoundLog, stop: Stop) -> Surface:
        """The surface, read on from where an earlier fold of the log ended, if there is one.

        Raises `ReadFailedError`, or `StoppedError` when asked to stop.
        """
        known = self.at_hand(log)
        if known is not None:
            return known
        old = self._kept.take(log.path)
        earlier = old.resumable if isinstance(old, _Kept) else None
        if earlier is None:
            earlier = self._remembered(log)
        try:
            done = read_surface(log.path, log.name, self._rule, stop, earlier)
        except ReadFailedError as error:
            if error.reason in LASTING:
                self._kept.put(log.path, log.revision, error.with_traceback(None))
            raise
        weight = _weigh(done.value, old if isinstance(old, _Kept) else None)
        kept = _Kept(done.value, weight, done.resumable)
        self._kept.put(log.path, done.revision, kept, weight)
        if done.resumable is not None:
            self._write(log.path, done.revision, done.resumable)
        return done.value

    def _remembered(self, log: FoundLog) -> Resumable[LogReplay] | None:
        row = self._index.row(Kind.SURFACE, log.path)
        found = surface_from(row.value, self._rule) if row else None
        if found is not None:
            self._written[log.path] = found.mark.offset
        return found

    def _write(self, path: str, revision: str, resumable: Resumable[LogReplay]) -> None:
        """To disk, unless what lies there is nearly as far."""
        offset, written = resumable.mark.offset, self._written.get(path)
        if written is not None and 0 <= offset - written < _WORTH_WRITING:
            return
        self._written[path] = offset
        state = resumable.fold.state()  # now, since the fold may go on
        self._index.put(Kind.SURFACE, path, revision, partial(surface_bytes, resumable, state))


def _weigh(surface: Surface, before: _Kept | None) -> int:
    """About how many bytes of memory a surface takes: its text, and the objects around it.

    Of a surface that only became longer than `before`, the new nodes alone are looked at.
    """
    known, nodes = before.surface.nodes if before else (), surface.nodes
    if before is None or nodes[: len(known)] != known:
        return _weight_of(nodes)
    return before.weight + _weight_of(nodes[len(known) :])


def _weight_of(nodes: Iterable[Event]) -> int:
    return sum(_NODE + text_length(node) for node in nodes)
