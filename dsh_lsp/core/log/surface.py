"""The surface fold: which events of a log the model currently sees (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dsh_lsp.core.log.dialects import FORMAT_0_STRICT
from dsh_lsp.core.log.events import NEWEST_FORMAT, Event, SessionHeader, sequence_number
from dsh_lsp.core.log.surface_fold import SurfaceFold


@dataclass(frozen=True, slots=True)
class Replacement:
    """One replace operation that happened during a fold."""

    seq: int
    start: int
    end: int
    shadowed_seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """The current surface, in model order, and the replacements that led to it."""

    nodes: tuple[Event, ...]
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Surface:
    """One consistent observation of a session.

    `captured_through_seq` is None for an empty log. `context_window` is the latest one that the
    log tells (tokens), `warnings` are sentences for people (event types that a host may refuse),
    and `captured_format_version` is the format that the reader presents, not that of the log.
    """

    header: SessionHeader
    captured_through_seq: int | None
    nodes: tuple[Event, ...]
    title: str | None = None
    label: str | None = None  # the label that a subagent was created with
    context_window: int | None = None
    warnings: tuple[str, ...] = ()
    captured_format_version: int = NEWEST_FORMAT

    @property
    def display_title(self) -> str:
        """The subagent's label, else the latest title, else the id."""
        for name in (self.label, self.title):
            if name is not None:
                return name
        return self.header.id


def fold(events: Iterable[Event]) -> Fold:
    """Fold format 0 events strictly, by the rule of 0.1.0.

    Raises ValueError naming the event and its fault.
    """
    surface = SurfaceFold(FORMAT_0_STRICT)
    replacements = []
    for place, event in enumerate(events):
        if sequence_number(event.get("seq")) != place:
            raise ValueError(f"event {place} has another number than its place in the log")
        try:
            shadowed = surface.apply(event, place)
        except ValueError as error:
            raise ValueError(f"event {place} is wrong: {error}") from error
        if shadowed:
            start, end = event["surfaceOp"]["start"], event["surfaceOp"]["end"]
            replacements.append(Replacement(place, int(start), int(end), shadowed))
    return Fold(surface.nodes(), tuple(replacements))
