"""Sending a prompt once: the checks before, the harness's answer, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from dsh_lsp.core.problem import Problem
from dsh_lsp.harness.port import (
    Harness,
    HarnessError,
    Mode,
    NoHarnessError,
    OutcomeUnknownError,
    Outgoing,
    Receipt,
    ReceiptState,
    UnknownSessionError,
)
from dsh_lsp.server.preparing import Preparation, refusal
from dsh_lsp.server.target import Decision

RECEIPT_SECONDS = 5.0
"""How long a send waits to see what becomes of its prompt."""

QUEUE_SECONDS = 1.0
"""How long it watches a queue: an idle session takes a prompt up at once, a busy one may not."""

_PATIENCE = {ReceiptState.WAITING: RECEIPT_SECONDS, ReceiptState.QUEUED: QUEUE_SECONDS}

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5


class Status(StrEnum):
    """The outcome of a send. `pending` is kept for an outbox that tries again later."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Order:
    """One wish to send a prepared prompt.

    `is_current` tells whether the document still has the version that was prepared. `commit` is
    called when the order can no longer be taken back. `cwd` is for a session that is yet to be
    created, and `created` is told its id.
    """

    request_id: str
    preparation: Preparation
    target: Decision
    mode: Mode
    cwd: str | None
    is_current: Callable[[], bool]
    commit: Callable[[], None]
    created: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of an order. `problems` explain a refusal or an unknown outcome."""

    status: Status
    order: Order
    session_id: str | None
    problems: tuple[Problem, ...]
    receipt: Receipt | None = None


async def send(order: Order, harness: Harness, report: Callable[[str], Awaitable[None]]) -> Sent:
    """Send a prompt at most once. `report` is told each step, for people."""
    forbidding = await _before(order, harness)
    if forbidding or order.preparation.prepared is None:
        problems = (*forbidding, *order.preparation.problems)
        return Sent(Status.REFUSED, order, order.target.session_id, problems)
    order.commit()
    session_id = order.target.session_id
    try:
        if session_id is None:
            await report("creating a session")
            session_id = await harness.create_session(order.cwd)
            order.created(session_id)
        if not order.is_current():
            return Sent(Status.REFUSED, order, session_id, (document_changed(),))
        await report("sending")
        await harness.send(
            Outgoing(order.request_id, session_id, order.preparation.part.body, order.mode)
        )
    except OutcomeUnknownError as fault:
        return Sent(Status.UNKNOWN, order, session_id, (refusal("outcome-unknown", str(fault)),))
    except HarnessError as fault:
        return Sent(Status.REFUSED, order, session_id, (harness_refusal(fault),))
    await report("waiting for the harness to take it up")
    receipt = await _receipt(harness, session_id, order.request_id)
    return Sent(Status.ACCEPTED, order, session_id, order.preparation.problems, receipt)


def no_target() -> Problem:
    """Why a prompt without a target is not sent."""
    return refusal(
        "no-target",
        "No session has been chosen for this prompt. Choose one with the command dsh.selectTarget, "
        "create one with dsh.newSession, or write `dsh:` with `session:` into the front matter.",
    )


def document_changed() -> Problem:
    """Why an edited document is not sent."""
    return refusal(
        "document-changed",
        "The document changed after the command was given, so nothing was sent. Send it again.",
    )


def harness_refusal(fault: HarnessError) -> Problem:
    """Why a harness did not take something."""
    if isinstance(fault, NoHarnessError):
        return refusal("no-harness", str(fault))
    if isinstance(fault, UnknownSessionError):
        return refusal("unknown-target", str(fault))
    return refusal("harness-refused", str(fault))


def differences(receipt: Receipt, prepared: tuple[Mapping[str, Any], ...]) -> list[dict[str, Any]]:
    """Where the recorded snapshot is not what was prepared here, fact by fact."""
    ours = {each["sessionId"]: each for each in prepared}
    return [
        {
            "sessionId": recorded["sessionId"],
            "fact": fact,
            "prepared": ours[recorded["sessionId"]][fact],
            "recorded": recorded[fact],
        }
        for recorded in receipt.references
        if recorded.get("sessionId") in ours
        for fact in _COMPARED
        if fact in recorded and recorded[fact] != ours[recorded["sessionId"]].get(fact)
    ]


_COMPARED = (
    *("capturedThroughSeq", "compacted", "originalMessages", "retainedMessages"),
    *("omittedMessages", "omittedBytes", "truncated"),
)


async def _before(order: Order, harness: Harness) -> tuple[Problem, ...]:
    """Everything that forbids sending and can be known before."""
    problems: list[Problem] = []
    if order.target.source is None:
        problems.append(no_target())
    try:
        await harness.describe()
    except HarnessError as fault:
        problems.append(harness_refusal(fault))
    if not order.preparation.part.body.strip():
        problems.append(refusal("empty-prompt", "There is nothing to send; write a prompt first."))
    return tuple(problems)


async def _receipt(harness: Harness, session_id: str, request_id: str) -> Receipt:
    """What became of an accepted prompt, as far as a short wait can tell."""
    pause = _FIRST_PAUSE
    waited = 0.0
    receipt = Receipt(ReceiptState.WAITING)
    while True:
        try:
            receipt = await harness.receipt(session_id, request_id)
        except HarnessError as fault:
            return replace(receipt, reason=str(fault))
        if waited >= _PATIENCE.get(receipt.state, 0.0):
            return receipt
        await asyncio.sleep(pause)
        waited += pause
        pause = min(_LONGEST_PAUSE, pause * 2)
