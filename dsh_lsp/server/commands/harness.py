"""Commands that enter or start a harness."""

from __future__ import annotations

from collections.abc import Awaitable

from dsh_lsp.harness.port import Description, HarnessError, OutboxView, Standing
from dsh_lsp.server.commands import results
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.facts_json import Json
from dsh_lsp.server.failures import ArgumentError
from dsh_lsp.server.state import State


async def login(call: Call) -> Json:
    """Enter a harness with the link that it printed."""
    link = call.arguments.link
    if link is None:
        raise ArgumentError("expects link, as `dsh web` printed it")
    return await _entered(call, call.state.services.login(link))


async def start_harness(call: Call) -> Json:
    """Start a harness, in `cwd` or the first folder."""
    state = call.state
    cwd = call.arguments.cwd or next(iter(state.folders.paths), None)
    await call.report("starting a harness")
    return await _entered(call, state.services.start(cwd))


async def _entered(call: Call, entering: Awaitable[Description]) -> Json:
    """Which harness there is now and how many prompts were kept for it, or why there is none."""
    kept = kept_prompts(await call.state.services.delivery.view())
    try:
        description = await entering
    except HarnessError as fault:
        return {"harness": None, "harnessProblem": str(fault), "keptPrompts": kept}
    call.state.memory.harness.forget()
    harness = results.harness_json(description)
    return {"harness": harness, "harnessProblem": None, "keptPrompts": kept}


def kept_prompts(view: OutboxView) -> int:
    """How many prompts wait for somebody to send them."""
    return sum(item.standing is Standing.KEPT for item in view.items)


async def described(state: State) -> tuple[Description | None, str | None]:
    """What the harness says of itself, or why it says nothing."""
    try:
        return await state.services.harness.describe(), None
    except HarnessError as fault:
        return None, str(fault)
