"""`dsh.sessions`: the sessions of a picker."""

from __future__ import annotations

import time
from collections.abc import Sequence

from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.server.commands import results
from dsh_lsp.server.commands.arguments import Purpose
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.facts_json import Json
from dsh_lsp.server.scene import reference_target
from dsh_lsp.server.state import State
from dsh_lsp.sessions.references import Target


async def sessions(call: Call) -> Json:
    """The candidates for a picker; without a document those of the first folder."""
    state = call.state
    asked = call.arguments
    if asked.uri is None:
        target = Target(None, next(iter(state.folders.paths), None))
    else:
        target = await reference_target(state.scene(state.document(asked.uri), asked.target))
    limit = asked.limit or state.settings.references.candidate_limit
    if asked.purpose is Purpose.TARGET:
        found = await _possible_targets(state, target.cwd, asked.query, limit)
    else:
        found = await state.memory.resolver.list_candidates(target, asked.query, limit)
    now = time.time_ns() // 1_000_000
    return {
        "items": [results.candidate_json(candidate, now) for candidate in found],
        "incomplete": len(found) == limit,
    }


async def _possible_targets(
    state: State, cwd: str | None, query: str, limit: int
) -> Sequence[Candidate]:
    """Sessions that the harness, or else the store, knows."""
    nearby = Target(None, cwd)  # the present target can be chosen as well
    try:
        return await state.memory.targets.list_candidates(nearby, query, limit)
    except ReadFailedError:
        return await state.memory.resolver.list_candidates(nearby, query, limit)
