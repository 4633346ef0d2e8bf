"""Sending a prompt once: the checks before, the harness's answer, and what became of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from dsh_lsp.core.problem import Problem
from dsh_lsp.harness.port import (
    NO_SESSION_YET,
    Delivery,
    Harness,
    HarnessError,
    Letter,
    LoginError,
    Mode,
    NoHarnessError,
    NotAgainError,
    OutcomeUnknownError,
    Outgoing,
    Pending,
    Receipt,
    Standing,
    UnknownSessionError,
)
from dsh_lsp.server.outcome import difference_problems, earlier_problem, expanded_here
from dsh_lsp.server.preparing import Preparation, refusal
from dsh_lsp.server.target import Decision


class Status(StrEnum):
    """The outcome of a send. `pending`: an equal prompt of before is still in the outbox.

    `kept`: it was asked to be kept there, and not to be sent.
    """

    ACCEPTED = "accepted"
    KEPT = "kept"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Order:
    """One wish to send a prepared prompt.

    `is_current` tells whether the document still has the version that was prepared. `commit` is
    called when the order can no longer be taken back. `cwd` is for a session that is yet to be
    created, and `created` is told its id. `may_expand`: a harness that resolves no mentions may get
    the prepared message in their place; `expanded`: it gets that.
    """

    request_id: str
    preparation: Preparation
    target: Decision
    mode: Mode
    cwd: str | None
    is_current: Callable[[], bool]
    commit: Callable[[], None]
    created: Callable[[str], None]
    document: str | None = None  # where the prompt was written
    may_expand: bool = False
    expanded: bool = False

    def letter(self, session_id: str) -> Letter:
        """The prompt as it goes to a session, with what its snapshot should record."""
        prepared = self.preparation.prepared
        if prepared is not None and self.expanded:
            outgoing = Outgoing(self.request_id, session_id, prepared.as_one_text, self.mode)
            return Letter(outgoing, document=self.document)
        context = prepared.context if prepared else None
        references: tuple[Mapping[str, Any], ...] = ()
        if context is not None:
            references = tuple(context.source["references"])
        text = self.preparation.part.body
        outgoing = Outgoing(self.request_id, session_id, text, self.mode)
        return Letter(outgoing, references, self.document)


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of an order. `problems` explain a refusal or an unknown outcome."""

    status: Status
    order: Order
    session_id: str | None
    problems: tuple[Problem, ...]
    receipt: Receipt | None = None


async def send(
    order: Order, harness: Harness, delivery: Delivery, report: Callable[[str], Awaitable[None]]
) -> Sent:
    """Send a prompt at most once. `report` is told each step, for people."""
    session_id = order.target.session_id
    forbidding = await _before(order, harness)
    if forbidding or order.preparation.prepared is None:
        problems = (*forbidding, *order.preparation.problems)
        return Sent(Status.REFUSED, order, session_id, problems)
    if order.preparation.prepared.context and await harness.resolves_references() is False:
        if not order.may_expand:
            problems = (cannot_resolve(), *order.preparation.problems)
            return Sent(Status.REFUSED, order, session_id, problems)
        order = replace(order, expanded=True)
    twin = await delivery.twin(order.letter(session_id or NO_SESSION_YET))
    if twin is not None:
        return Sent(Status.PENDING, order, twin.outgoing.session_id, (already_there(twin),))
    order.commit()
    try:
        if session_id is None:
            await report("creating a session")
            session_id = await harness.create_session(order.cwd)
            order.created(session_id)
        if not order.is_current():
            return Sent(Status.REFUSED, order, session_id, (document_changed(),))
        earlier = earlier_problem(await _waiting(delivery, session_id))
        await report("sending")
        receipt = await delivery.send(
            order.letter(session_id), partial(report, "waiting for the harness to take it up")
        )
    except OutcomeUnknownError as fault:
        return Sent(Status.UNKNOWN, order, session_id, (_outcome_unknown(fault),))
    except HarnessError as fault:
        return Sent(Status.REFUSED, order, session_id, (harness_refusal(fault),))
    expanded = (expanded_here(),) if order.expanded else ()
    problems = (*order.preparation.problems, *earlier, *expanded, *difference_problems(receipt))
    return Sent(Status.ACCEPTED, order, session_id, problems, receipt)


def no_target() -> Problem:
    """Why a prompt without a target is not sent."""
    return refusal(
        "no-target",
        "No session has been chosen for this prompt. Choose one, or name one in its front matter: "
        "`session:` below `dsh:`, with an id or `new`.",
    )


def empty_prompt(order: Order) -> tuple[Problem, ...]:
    """Why a prompt of white space goes nowhere."""
    if order.preparation.part.body.strip():
        return ()
    return (refusal("empty-prompt", "There is nothing to send; write a prompt first."),)


def cannot_resolve() -> Problem:
    """Why a prompt with mentions is not sent to a harness that would leave them as they are."""
    return refusal(
        "cannot-resolve",
        "This harness resolves no mentions (its service session-reference is switched off), so the "
        "model would see links without their conversations. Nothing was sent. With the setting "
        "dsh.send.expand, dsh-lsp writes the conversations into the prompt itself.",
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
    if isinstance(fault, LoginError):
        return refusal("needs-login", str(fault))
    if isinstance(fault, UnknownSessionError):
        return refusal("unknown-target", str(fault))
    return refusal("harness-refused", str(fault))


def outbox_refusal(fault: HarnessError) -> Problem:
    """Why a prompt of the outbox was not sent again or forgotten."""
    match fault:
        case OutcomeUnknownError():
            return _outcome_unknown(fault)
        case NotAgainError():
            return refusal("not-sent-again", str(fault))
        case _:
            return harness_refusal(fault)


async def _before(order: Order, harness: Harness) -> tuple[Problem, ...]:
    """Everything that forbids sending and can be known before."""
    problems: list[Problem] = []
    try:
        await harness.describe()
    except HarnessError as fault:
        problems.append(harness_refusal(fault))
    else:
        if order.target.source is None:
            problems.append(no_target())  # without a harness, no session could be chosen
    return (*problems, *empty_prompt(order))


async def _waiting(delivery: Delivery, session_id: str) -> list[Pending]:
    """Prompts of before that wait in a session where nothing runs."""

    def of_session(item: Pending) -> bool:
        return item.outgoing.session_id == session_id

    if not any(map(of_session, (await delivery.view()).items)):
        return []
    looked = filter(of_session, (await delivery.look()).items)
    return [item for item in looked if item.standing is Standing.QUEUED and item.reason]


def _outcome_unknown(fault: OutcomeUnknownError) -> Problem:
    return refusal(
        "outcome-unknown",
        f"{fault}. It stays in the outbox until it is known whether its session has it.",
    )


def already_there(twin: Pending) -> Problem:
    """Why a prompt is neither sent nor kept beside an equal one of the outbox."""
    if twin.standing is Standing.KEPT:
        return refusal(
            "already-kept",
            "An equal prompt is kept in the outbox and has not been sent yet. Nothing was done; "
            "send that one.",
        )
    return refusal(
        "already-sent",
        f"An equal prompt was sent before, and {twin.in_words()}. Nothing was sent now.",
    )
