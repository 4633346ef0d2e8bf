"""Keeping a prompt in the outbox: everything but the harness is checked as for a send."""

from __future__ import annotations

from dsh_lsp.core.problem import Problem
from dsh_lsp.harness.port import Delivery, HarnessError
from dsh_lsp.server.preparing import refusal
from dsh_lsp.server.sending import (
    Order,
    Sent,
    Status,
    already_there,
    document_changed,
    empty_prompt,
    harness_refusal,
    no_target,
)
from dsh_lsp.server.target import Source

_CHOOSE = "Choose a session"


async def keep(order: Order, delivery: Delivery) -> Sent:
    """Put a prompt into the outbox, which alone sends it later. No harness is asked."""
    session_id = order.target.session_id
    forbidding = (*_without_session(order), *empty_prompt(order))
    if session_id is None or forbidding or order.preparation.prepared is None:
        problems = (*forbidding, *order.preparation.problems)
        return Sent(Status.REFUSED, order, session_id, problems)
    letter = order.letter(session_id)
    twin = await delivery.twin(letter)
    if twin is not None:
        return Sent(Status.PENDING, order, session_id, (already_there(twin),))
    order.commit()
    if not order.is_current():
        return Sent(Status.REFUSED, order, session_id, (document_changed(),))
    try:
        await delivery.keep(letter)
    except HarnessError as fault:
        return Sent(Status.REFUSED, order, session_id, (harness_refusal(fault),))
    return Sent(Status.KEPT, order, session_id, order.preparation.problems)


def _without_session(order: Order) -> tuple[Problem, ...]:
    """Why nobody could send it later, when no session that exists is its target."""
    if order.target.session_id is not None:
        return ()
    if order.target.source is None:
        return (no_target(),)
    named = order.target.source is Source.FRONT_MATTER
    way = "Name a session in the front matter, where `session` is `new`" if named else _CHOOSE
    return (
        refusal(
            "needs-session",
            "A prompt is kept for a session that exists, and only a harness can make a new one. "
            f"{way}, or copy the prepared message.",
        ),
    )
