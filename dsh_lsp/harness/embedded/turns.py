"""The records of turns, as values: the loop and the recorder of samples write the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dsh_lsp.harness.embedded.ambient import NewId
from dsh_lsp.harness.embedded.draft import (
    Draft,
    Place,
    spliced,
    step_end,
    step_start,
    system_message,
    title,
    turn_end,
    turn_start,
    user_message,
)
from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.embedded.message import Message
from dsh_lsp.harness.embedded.title import fallback_title

SYSTEM_PROMPT = (
    "You answer in a session that the embedded harness of dsh-lsp records. You have no tools. "
    "A message under the heading `Referenced sessions` is background from other sessions."
)


def opening(ledger: Ledger) -> tuple[Draft, ...]:
    """The next turn begins and takes its messages; nothing when none wait any more."""
    if not ledger.inbox.pending:
        return ()
    return (turn_start(ledger.last_turn + 1), *spliced(ledger.inbox.claim_turn()))


def entering(
    ledger: Ledger, place: Place, messages: Sequence[Message], first: int, new_id: NewId
) -> tuple[Draft, ...]:
    """A step begins with these messages; the first direct one names a session without a title."""
    drafts = [step_start(place)]
    if not ledger.has_system_message:
        drafts.append(system_message(place, new_id(), SYSTEM_PROMPT))
    drafts += [user_message(message) for message in messages]
    if ledger.title is None:
        drafts += _named(messages, first + len(drafts) - len(messages))
    return tuple(drafts)


def closing(ledger: Ledger, reason: Mapping[str, Any]) -> tuple[Draft, ...]:
    """The open turn ends, and the step that is open in it; nothing when no turn is open."""
    if ledger.open_turn is None:
        return ()
    step = (step_end(ledger.open_step),) if ledger.open_step else ()
    return (*step, turn_end(ledger.open_turn, reason))


def _named(messages: Sequence[Message], first: int) -> list[Draft]:
    for seq, message in enumerate(messages, first):
        text = fallback_title(message.text) if message.direct else ""
        if text:
            return [title(text, message_seqs=[seq], source="fallback")]
    return []
