"""What of one source fits its budget: the one answer behind checks, hovers and sending."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from dsh_lsp.core.checks.credentials import find_credential
from dsh_lsp.core.failures import BudgetExceededError
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.names import short_name
from dsh_lsp.core.projection import project
from dsh_lsp.core.retention import Snapshot, retain

Measure = Callable[[Surface, str, int], Snapshot | BudgetExceededError]
"""The signature of `measure`, which `Measurements.measure` shares."""

_LABELS_PER_SURFACE = 8
_SNAPSHOTS = 32  # whose answers about secrets are kept


def measure(surface: Surface, label: str, budget: int) -> Snapshot | BudgetExceededError:
    """The snapshot of a session under a label, or why it cannot fit `budget` UTF-8 bytes."""
    try:
        return retain(
            session_id=surface.header.id,
            label=label,
            cwd=surface.header.cwd,
            captured_through_seq=surface.captured_through_seq,
            conversation=project(surface.nodes),
            budget=budget,
        )
    except BudgetExceededError as error:
        return BudgetExceededError(f"{short_name(surface.display_title)}: {error.message}")


@dataclass(frozen=True, slots=True)
class _Measured:
    surface: weakref.ref[Surface]
    results: dict[tuple[str, int], Snapshot | BudgetExceededError] = field(default_factory=dict)


class Measurements:
    """Remembers what was measured, as long as its surface is in use elsewhere.

    A keystroke asks for the same sources again, and a long conversation takes a while to fit.
    Surfaces are told apart by identity: a source that has grown is a new one.
    """

    def __init__(self) -> None:
        self._measured: dict[int, _Measured] = {}
        self.credential = lru_cache(_SNAPSHOTS)(credential_in)

    def measure(self, surface: Surface, label: str, budget: int) -> Snapshot | BudgetExceededError:
        """Like the function `measure`."""
        results = self._results(surface)
        known = results.get((label, budget))
        if known is None:
            known = measure(surface, label, budget)
            if len(results) == _LABELS_PER_SURFACE:
                results.clear()  # someone types a label; its earlier states will not come back
            results[label, budget] = known
        return known

    def _results(self, surface: Surface) -> dict[tuple[str, int], Snapshot | BudgetExceededError]:
        place = id(surface)
        known = self._measured.get(place)
        if known is None or known.surface() is not surface:
            known = _Measured(weakref.ref(surface, lambda _: self._forget(place)))
            self._measured[place] = known
        return known.results

    def _forget(self, place: int) -> None:
        known = self._measured.get(place)
        if known is not None and known.surface() is None:
            del self._measured[place]


def credential_in(snapshot: Snapshot) -> str | None:
    """What kind of live secret a snapshot seems to hold; None for none."""
    return find_credential(item.text for item in snapshot.conversation)
