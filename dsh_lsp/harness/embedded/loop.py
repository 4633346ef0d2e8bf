"""The agent loop: messages are taken, listeners decide, a responder answers, all is recorded."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_lsp.harness.embedded.ambient import Clock, NewId
from dsh_lsp.harness.embedded.answer import assistant_message, failed_attempt
from dsh_lsp.harness.embedded.draft import BLOCKED, COMPLETED, Place, failed, spliced, step_end
from dsh_lsp.harness.embedded.live import LiveSession, LogFailedError
from dsh_lsp.harness.embedded.message import Message
from dsh_lsp.harness.embedded.prestep import PreStepListener, Reject, Step, decide
from dsh_lsp.harness.embedded.responder import Responder, all_text, model_input
from dsh_lsp.harness.embedded.turns import closing, entering, opening

_LOG = logging.getLogger(__name__)


class EmptyAnswerError(Exception):
    """The responder said nothing."""


@dataclass(frozen=True, slots=True)
class Loop:
    """Runs the turns of sessions. `listeners` come outermost first."""

    listeners: Sequence[PreStepListener]
    responder: Responder
    clock: Clock
    new_id: NewId

    async def run_turn(self, session: LiveSession) -> None:
        """One turn, from taking its messages to its end.

        Whatever a listener or the responder raises ends the turn and is recorded. Cancelling
        leaves the turn open: whoever cancels says how it ended. Raises `LogFailedError`.
        """
        await session.record_from(lambda _: opening(session.ledger))
        if session.ledger.open_turn is None:
            return
        try:
            reason = await self._steps(session, session.ledger.open_turn)
        except LogFailedError:
            raise
        except Exception as error:
            _LOG.warning("a turn ended with %s", type(error).__name__)
            reason = failed(error)
        await session.record_from(lambda _: closing(session.ledger, reason))

    async def _steps(self, session: LiveSession, turn: int) -> Mapping[str, Any]:
        """Steps until nothing waits for the next one; the reason why the turn ends."""
        place = Place(turn, 1)
        while True:
            header, claimed = session.header, session.ledger.claimed
            step = Step(header.id, header.cwd, place.turn, place.step, claimed)
            decision = await decide(self.listeners, step)
            if isinstance(decision, Reject):
                _LOG.info("a turn was rejected before its step")
                return BLOCKED
            await self._enter(session, place, decision.messages)
            await self._answer(session, place)
            await session.record_from(lambda _: spliced(session.ledger.inbox.claim_step()))
            if not session.ledger.claimed:
                return COMPLETED
            place = Place(turn, place.step + 1)

    async def _enter(self, session: LiveSession, place: Place, messages: Sequence[Message]) -> None:
        await session.record_from(
            lambda first: entering(session.ledger, place, messages, first, self.new_id)
        )

    async def _answer(self, session: LiveSession, place: Place) -> None:
        given = model_input(session.surface.nodes)
        try:
            text = _said(await self.responder.respond(given))
        except Exception as error:
            await session.record(failed_attempt(place, error, time=self.clock()))
            raise
        answer = assistant_message(
            place,
            self.responder.speaker,
            self.new_id(),
            text,
            given=all_text(given),
            time=self.clock(),
        )
        await session.record(answer, step_end(place))


def _said(text: str) -> str:
    if not text:
        raise EmptyAnswerError("the responder gave an empty answer")
    return text
