"""`dsh.outbox`: prompts that are kept, or whose end is not known."""

from __future__ import annotations

from collections.abc import Sequence

from dsh_lsp.core.problem import Problem
from dsh_lsp.harness.port import HarnessError
from dsh_lsp.server.commands import results
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.documents import Document
from dsh_lsp.server.facts_json import Json, receipt_json
from dsh_lsp.server.outcome import difference_problems
from dsh_lsp.server.sending import outbox_refusal


async def outbox(call: Call) -> Json:
    """What the outbox holds, after looking for what was sent; one is sent or forgotten."""
    delivery = call.state.services.delivery
    asked = call.arguments
    answer: Json = {"problems": []}
    try:
        if asked.resend is not None:
            await call.report("looking for it, and sending it")
            receipt = await delivery.resend(asked.resend)
            answer["receipt"] = receipt_json(receipt)
            answer["problems"] = _nowhere(call, difference_problems(receipt))
        elif asked.discard is not None:
            await delivery.discard(asked.discard)
    except HarnessError as fault:
        answer["problems"] = _nowhere(call, [outbox_refusal(fault)])
    await call.report("looking into the sessions")
    view = await delivery.look()
    answer["items"] = [results.pending_json(item) for item in view.items]
    answer["faults"] = [results.outbox_fault_json(fault) for fault in view.faults]
    return answer


def _nowhere(call: Call, problems: Sequence[Problem]) -> list[Json]:
    """Problems that belong to no document."""
    return results.problems_json(Document("", 0, ""), problems, call.state.client.unit)
