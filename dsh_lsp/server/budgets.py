"""The byte budget and the limits that hold for one prompt (docs/snapshots.md)."""

from __future__ import annotations

from dsh_lsp.core.budget import Budget, host_budget
from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.limits import Limits
from dsh_lsp.server.scene import Scene


async def budget_of(scene: Scene) -> Budget:
    """The bytes of each source, and the rule that gave them."""
    wanted = scene.settings.references.max_reference_bytes
    if wanted != "host":
        return Budget(wanted, "the setting dsh.references.maxReferenceBytes")
    description = await scene.memory.harness.describe()
    said = description.max_reference_bytes if description else None
    if said is not None:
        return host_budget(host_says=said, target_format=None, context_window=None)
    target_format, window = await _target_facts(scene)
    if window is None and target_format != 0:
        window = await scene.services.context_window()
    return host_budget(host_says=None, target_format=target_format, context_window=window)


def limits_of(scene: Scene, budget: Budget) -> Limits:
    """How many sources, and how big each."""
    return Limits(scene.settings.references.max_references, budget.size)


async def _target_facts(scene: Scene) -> tuple[int | None, int | None]:
    """The target's log format and context window (tokens), as far as they can be read."""
    target_id = scene.target.session_id
    if target_id is None:
        return None, None
    try:
        surface = await scene.services.query.read_surface(target_id)
    except ReadFailedError:
        return None, None
    return surface.header.format_version, surface.context_window
