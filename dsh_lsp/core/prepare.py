"""Preparing a message: what must be read, and the whole message or a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_lsp.core.envelope import context_source, context_text, reference_record
from dsh_lsp.core.failures import (
    BudgetExceededError,
    InvalidReferenceError,
    SelfReferenceError,
    TooManyReferencesError,
)
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.measure import Measure, measure
from dsh_lsp.core.mentions import Reference
from dsh_lsp.core.names import short_name
from dsh_lsp.core.retention import Snapshot


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """One source of a prepared message: its snapshot beside where it came from."""

    snapshot: Snapshot
    display_title: str
    format_version: int
    input_index: int


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """The aggregated context message: its text and its `source` record (docs/snapshots.md)."""

    text: str
    source: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A whole preparation: readable text, its sources in order, and their context message."""

    text: str
    sources: tuple[PreparedSource, ...]
    context: ContextMessage | None

    @property
    def as_one_text(self) -> str:
        """For a chat that resolves no mentions: the context first, then the request."""
        return f"{self.context.text}\n\n{self.text}" if self.context else self.text


def read_references(values: Iterable[object]) -> Iterator[Reference]:
    """References out of parsed JSON: objects `{"sessionId": string, "label"?: string}`.

    Each is checked when it is asked for, so that `accept` meets faults in their order. Raises
    `InvalidReferenceError`.
    """
    for index, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise InvalidReferenceError(f"reference {index} must be an object with a sessionId")
        session_id = value.get("sessionId")
        if not isinstance(session_id, str):
            raise InvalidReferenceError(f"reference {index} needs a sessionId that is a string")
        label = value.get("label", session_id)
        if not isinstance(label, str):
            raise InvalidReferenceError(
                f"the label of reference {index} must be a string; leave it out to use the id"
            )
        yield Reference(session_id, label)


def accept(
    references: Iterable[Reference], *, target_id: str | None, max_references: int
) -> tuple[Reference, ...]:
    """The distinct references in order, first mention wins; raises for self or too many."""
    accepted: dict[str, Reference] = {}
    for reference in references:
        if reference.session_id == target_id:
            raise SelfReferenceError(
                f"the prompt mentions {short_name(reference.label)}, the session that it goes to; "
                "remove that mention, since the session knows its own conversation"
            )
        accepted.setdefault(reference.session_id, reference)
    if len(accepted) > max_references:
        raise TooManyReferencesError(
            f"the prompt mentions {len(accepted)} sessions, and at most {max_references} are "
            f"allowed; remove {len(accepted) - max_references}"
        )
    return tuple(accepted.values())


def prepare(
    text: str,
    references: Sequence[Reference],
    surfaces: Mapping[str, Surface],
    limits: Limits,
    *,
    measure: Measure = measure,
) -> Prepared:
    """The whole message of readable `text` and accepted `references`, or a raised reason.

    `surfaces` holds each reference's session. Raises `BudgetExceededError`.
    """
    sources: list[PreparedSource] = []
    for index, reference in enumerate(references):
        surface = surfaces[reference.session_id]
        snapshot = measure(surface, reference.label, limits.max_reference_bytes)
        if isinstance(snapshot, BudgetExceededError):
            raise BudgetExceededError(snapshot.message)  # the same one may be remembered
        sources.append(
            PreparedSource(snapshot, surface.display_title, surface.captured_format_version, index)
        )
    return Prepared(text, tuple(sources), _context(sources) if sources else None)


def _context(sources: Sequence[PreparedSource]) -> ContextMessage:
    records = [
        reference_record(
            source.snapshot,
            format_version=source.format_version,
            input_index=source.input_index,
        )
        for source in sources
    ]
    snapshots = [source.snapshot for source in sources]
    return ContextMessage(context_text(snapshots), context_source(records))
