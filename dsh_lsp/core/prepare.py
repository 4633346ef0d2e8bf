"""Preparing a message: what must be read, and the whole message or a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_lsp.core.mentions import Reference
from dsh_lsp.core.retention import Snapshot
from dsh_lsp.core.surface import Surface

MAX_REFERENCES = 3
"""The hard cap on distinct sources of one message."""

DEFAULT_BUDGET = 65_536
"""UTF-8 bytes of one source, where neither the host nor the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one preparation. Raises `InvalidConfigError` when out of range."""

    max_references: int = MAX_REFERENCES
    max_reference_bytes: int = DEFAULT_BUDGET


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


def accept(
    references: Sequence[Reference], *, target_id: str | None, max_references: int
) -> tuple[Reference, ...]:
    """The distinct references in order, first mention wins; raises for self or too many."""
    raise NotImplementedError


def prepare(
    text: str,
    references: Sequence[Reference],
    surfaces: Mapping[str, Surface],
    limits: Limits,
) -> Prepared:
    """The whole message of readable `text` and accepted `references`, or a raised reason."""
    raise NotImplementedError
