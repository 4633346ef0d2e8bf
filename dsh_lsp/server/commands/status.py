"""`dsh.status`: where everything is, and how many."""

from __future__ import annotations

from dsh_lsp import __version__
from dsh_lsp.core.failures import ReadFault
from dsh_lsp.server.budgets import budget_of
from dsh_lsp.server.commands import results
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.commands.harness import described, kept_prompts
from dsh_lsp.server.commands.targets import target_json
from dsh_lsp.server.facts_json import Json, budget_json
from dsh_lsp.server.store_counts import sessions_by_place


async def status(call: Call) -> Json:
    """Store, harness, versions and counts; with a document its target and budget too."""
    state = call.state
    harness, problem = await described(state)
    outbox = await state.services.delivery.view()
    listing = await state.services.query.list_sessions()
    answer: Json = {
        "version": __version__,
        "store": state.services.store,
        "stores": [
            {"place": place, "sessions": count}
            for place, count in sessions_by_place(listing, state.services.store).items()
        ],
        "sessions": len(listing.sessions),
        "faults": [
            {"place": fault.place, "reason": fault.reason.value, "message": fault.message}
            for fault in listing.faults
            # The embedded harness makes its own store when it needs it.
            if fault.reason is not ReadFault.NOT_FOUND or fault.place == state.services.store
        ],
        "settingFaults": [
            {"path": fault.path, "message": fault.message} for fault in state.setting_faults
        ],
        "mode": state.settings.harness.mode.value,
        "harness": harness and results.harness_json(harness),
        "harnessProblem": problem,
        "documents": len(state.documents),
        "pendingSends": len(outbox.items),
        "keptPrompts": kept_prompts(outbox),
    }
    if call.arguments.uri is not None:
        scene = state.scene(call.document(), call.arguments.target)
        answer["target"] = await target_json(scene)
        answer["budget"] = budget_json(await budget_of(scene))
    return answer
