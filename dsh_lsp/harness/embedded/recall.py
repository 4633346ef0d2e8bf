"""The reference service as a listener: labels for mentions, and the snapshot behind them."""

from __future__ import annotations

from dsh_lsp.core.mentions import Reference, parse
from dsh_lsp.harness.embedded.ambient import NewId
from dsh_lsp.harness.embedded.message import Message, snapshot
from dsh_lsp.harness.embedded.prestep import Decision, Enter, Proceed, Reject, Step
from dsh_lsp.sessions.references import SessionReferenceResolver, Target


class RecallListener:
    """Resolves the mentions of every direct message that the listeners below let in.

    It acts on what was finally taken, so editing or moving a waiting message needs nothing of it,
    and sources are captured at that moment. A failed preparation is raised: the turn ends before
    anything of it can be seen by a model.
    """

    def __init__(self, resolver: SessionReferenceResolver, new_id: NewId) -> None:
        self._resolver = resolver
        self._new_id = new_id

    async def __call__(self, step: Step, proceed: Proceed) -> Decision:
        """Pass a rejection on untouched; otherwise the batch with its snapshots."""
        decision = await proceed()
        if isinstance(decision, Reject):
            return decision
        batch: list[Message] = []
        for message in decision.messages:
            batch += await self._resolved(step, message) if message.direct else [message]
        return Enter(tuple(batch))

    async def _resolved(self, step: Step, message: Message) -> list[Message]:
        references: list[Reference] = []
        for text in message.texts:
            references += parse(text)[1]
        if not references:
            return [message]
        readable = message.rewritten(lambda text: parse(text)[0])
        target = Target(step.session_id, step.cwd)
        prepared = await self._resolver.prepare(target, readable.text, references)
        if prepared.context is None:
            return [readable]
        return [readable, snapshot(self._new_id(), prepared.context)]
