"""Checks of one mentioned source: can it be read, does it fit, what does its snapshot hold?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsh_lsp.core.checks.fixes import Remove
from dsh_lsp.core.display import byte_size
from dsh_lsp.core.failures import BudgetExceededError, Code, ReadFailedError, ReadFault
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.measure import Measurements
from dsh_lsp.core.mentions import Mention
from dsh_lsp.core.names import short_name
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.retention import Snapshot

_FAULTS = {
    ReadFault.NOT_FOUND: "Session not found",
    ReadFault.CORRUPT: "Corrupt session log",
    ReadFault.NEWER_FORMAT: "Session log of a newer format",
    ReadFault.OLD_FORMAT: "Session log of an old format",
    ReadFault.UNKNOWN_EVENT: "Session log with unknown events",
    ReadFault.NO_PERMISSION: "No permission to read the session",
    ReadFault.MISPLACED: "Session log in the wrong place",
    ReadFault.TOO_LARGE: "Session too large",
    ReadFault.UNREADABLE: "Session unreadable",
}


def read_failed(mentions: Sequence[Mention], failure: ReadFailedError) -> Iterator[Problem]:
    """A source that cannot be read, at each of its mentions, since each needs a change."""
    for mention in mentions:
        yield Problem(
            failure.code,
            Severity.ERROR,
            mention.span,
            f"{_FAULTS[failure.reason]}: {failure.message}",
            fixes=(Remove("Remove this mention", (mention,)),),
        )


def unknown_events(first: Mention, surface: Surface) -> Iterator[Problem]:
    """A log that a harness may refuse, though it could be read here."""
    if surface.warnings:
        yield Problem(
            "unknown-events",
            Severity.WARNING,
            first.span,
            f"{short_name(surface.display_title)}: {' '.join(surface.warnings)}",
        )


def budget_exceeded(
    mentions: tuple[Mention, ...], failure: BudgetExceededError
) -> Iterator[Problem]:
    """A source whose fixed fields cannot fit. The first mention gives the label, so it counts."""
    name = short_name(mentions[0].label)
    yield Problem(
        Code.BUDGET_EXCEEDED,
        Severity.ERROR,
        mentions[0].span,
        failure.message,
        fixes=(Remove(f"Remove every mention of {name}", mentions),),
    )


def truncated(first: Mention, snapshot: Snapshot) -> Iterator[Problem]:
    """A snapshot that loses text."""
    if snapshot.truncated:
        yield Problem(
            "session-truncated",
            Severity.INFORMATION,
            first.span,
            f"The snapshot keeps {snapshot.retained_messages} of {snapshot.original_messages} "
            f"messages and omits {snapshot.omitted_messages} messages, "
            f"{snapshot.omitted_bytes:,} bytes, to fit {byte_size(snapshot.budget)}.",
        )


def possible_credential(
    first: Mention, snapshot: Snapshot, measurements: Measurements
) -> Iterator[Problem]:
    """A snapshot that seems to hold a live secret, which the message never quotes."""
    kind = measurements.credential(snapshot)
    if kind is not None:
        yield Problem(
            "possible-credential",
            Severity.WARNING,
            first.span,
            f"The snapshot seems to hold {kind}, and the model would see it. Look at the preview "
            "before you send.",
        )
