"""The course of a prompt from its intent to its end: a state machine without I/O.

kept, not sent yet ──┐
                     ▼
          begun ──► sending ──► accepted ──► recorded: forgotten
                     │             │
                     │             └──► ended: may be sent again
                     ├──► refused: what it was before; a begun one is forgotten
                     └──► unknown ──► found: accepted
                             └──────► not found: may be sent again
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from dsh_lsp.harness.delivery.comparison import compared
from dsh_lsp.harness.delivery.intent import Intent, Phase
from dsh_lsp.harness.port import Letter, Pending, Receipt, ReceiptState, Standing

GRACE_MS = 10_000
"""How long after its connection broke a request may still arrive."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The harness said that it has the prompt."""


@dataclass(frozen=True, slots=True)
class AnswerLost:
    """The prompt may have been accepted."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing of this attempt was accepted. `before` is what was kept before it."""

    before: Intent | None


@dataclass(frozen=True, slots=True)
class Seen:
    """The prompt was found. `firm`: this holds even if its host is killed now."""

    receipt: Receipt
    firm: bool

    @property
    def is_claim(self) -> bool:
        """Whether this would be its end, if it could be believed."""
        return not self.firm and self.receipt.state in (ReceiptState.CAPTURED, ReceiptState.ENDED)


@dataclass(frozen=True, slots=True)
class NotThere:
    """The target was looked at, and holds no trace of the prompt."""


@dataclass(frozen=True, slots=True)
class OutOfSight:
    """The target could not be looked at."""

    reason: str


Event = Accepted | AnswerLost | Refused | Seen | NotThere | OutOfSight


@dataclass(frozen=True, slots=True)
class Step:
    """What holds after an event. Without an `intent` the prompt leaves the outbox."""

    intent: Intent | None
    standing: Standing
    receipt: Receipt | None = None
    reason: str | None = None


def keep(letter: Letter, now: int) -> Intent:
    """The intent of a prompt that waits for its user's word."""
    return Intent(letter, created_at=now, attempted_at=now, attempts=0, phase=Phase.KEPT)


def begin(letter: Letter, now: int) -> Intent:
    """The intent that is kept before anything is sent."""
    return Intent(letter, created_at=now, attempted_at=now)


def again(intent: Intent, now: int) -> Intent:
    """The intent that is kept before a prompt of the outbox is sent."""
    return replace(
        intent,
        letter=_without_figures(intent.letter),
        attempted_at=now,
        attempts=intent.attempts + 1,
        phase=Phase.SENDING,
    )


def advance(intent: Intent, event: Event, now: int) -> Step:
    """What an event makes of an intent at a moment (Unix milliseconds)."""
    match event:
        case Accepted():
            return Step(_in(intent, Phase.ACCEPTED), Standing.WAITING)
        case AnswerLost(reason):
            # Until now it was on its way, however long that took.
            lost = replace(intent, phase=Phase.UNKNOWN, attempted_at=now)
            return Step(lost, Standing.UNKNOWN, reason=reason)
        case Refused(before):
            # A first attempt leaves its text with who made it.
            return at_rest(before) if before else Step(None, Standing.MISSING)
        case Seen(receipt, firm):
            return _seen(intent, receipt, firm)
        case NotThere() | OutOfSight() if intent.phase is Phase.KEPT:
            return Step(intent, Standing.KEPT)
        case NotThere():
            if 0 <= now - intent.attempted_at < GRACE_MS:
                return Step(intent, Standing.SENDING, reason="it may still be on its way")
            return Step(intent, Standing.MISSING)
        case OutOfSight(reason):
            known = intent.phase is Phase.ACCEPTED
            return Step(intent, Standing.WAITING if known else Standing.UNKNOWN, reason=reason)
        case _:
            assert_never(event)


def at_rest(intent: Intent) -> Step:
    """What is known of an intent that nobody has looked for yet."""
    return advance(intent, OutOfSight("it has not been looked for yet"), intent.attempted_at)


def being_sent(intent: Intent) -> Step:
    """What is known of an intent that somebody works on."""
    return Step(intent, Standing.SENDING, reason="a dsh-lsp is sending it")


def pending(intent: Intent, step: Step) -> Pending:
    """A step as others are told it."""
    letter = intent.letter
    return Pending(
        letter.outgoing,
        letter.document,
        intent.created_at,
        step.standing,
        step.receipt,
        step.reason,
    )


def _seen(intent: Intent, receipt: Receipt, firm: bool) -> Step:
    accepted = _in(intent, Phase.ACCEPTED)
    match receipt.state:
        case ReceiptState.CAPTURED if firm:
            found = compared(receipt, intent.letter.references)
            return Step(None, Standing.CAPTURED, found)
        case ReceiptState.ENDED if firm:
            return Step(accepted, Standing.ENDED, receipt, receipt.reason)
        case ReceiptState.QUEUED:
            return Step(accepted, Standing.QUEUED, receipt, receipt.reason)
        case _:
            waiting = Receipt(ReceiptState.WAITING, reason=receipt.reason)
            return Step(accepted, Standing.WAITING, waiting)


def _without_figures(letter: Letter) -> Letter:
    """A letter that predicts of each source only that it will be recorded.

    Its figures are those of the moment when the prompt was written; the source may have grown.
    """
    names = tuple({"sessionId": each.get("sessionId")} for each in letter.references)
    return replace(letter, references=names)


def _in(intent: Intent, phase: Phase) -> Intent:
    return replace(intent, phase=phase)
