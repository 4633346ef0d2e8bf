"""What is certain about where a prompt goes; where it is not, nothing is said."""

from __future__ import annotations

import logging

from dsh_lsp.core.problem import Severity
from dsh_lsp.server.scene import Scene
from dsh_lsp.server.target import Source
from dsh_lsp.settings import HarnessMode

_log = logging.getLogger("dsh_lsp.server")


async def place_without_target(scene: Scene) -> str | None:
    """The place, for people, that would have the target of this prompt and does not.

    Only a target that the prompt or the command itself names: others are told when they are chosen.
    """
    target = scene.target
    if target.session_id is None or target.created:
        return None
    if target.source not in (Source.ARGUMENT, Source.FRONT_MATTER):
        return None
    description = await scene.memory.harness.describe()
    if description is not None:
        known = await scene.memory.harness.has_session(target.session_id)
        return f"{description.name} {description.version}" if known is False else None
    return await _store_without(scene, target.session_id)


async def missing_cwd(scene: Scene) -> Severity | None:
    """How much it matters that the folder of a session to be created does not exist.

    The embedded harness runs here, so that it is an error there; another one may see other folders.
    """
    front_matter = scene.document.prompt.front_matter
    cwd = front_matter.cwd if front_matter and scene.target.new else None
    if cwd is None or _is_elsewhere(scene):
        return None
    try:
        if await scene.services.files.details(cwd, ".") is not None:
            return None
    except Exception as fault:
        _log.warning("looking up a folder failed with %s", type(fault).__name__)
        return None
    embedded = scene.settings.harness.mode is HarnessMode.EMBEDDED
    return Severity.ERROR if embedded else Severity.WARNING


async def _store_without(scene: Scene, session_id: str) -> str | None:
    """The store, when it was read whole; what could not be listed may be the session."""
    if _is_elsewhere(scene):
        return None
    try:
        listing = await scene.services.query.list_sessions()
    except Exception as fault:
        _log.warning("listing the sessions failed with %s", type(fault).__name__)
        return None
    if listing.faults or any(entry.header.id == session_id for entry in listing.sessions):
        return None
    return f"the store {scene.services.store}"


def _is_elsewhere(scene: Scene) -> bool:
    """Whether prompts go to a named address, whose folders and sessions may not be ours."""
    harness = scene.settings.harness
    return harness.url is not None and harness.mode in (HarnessMode.AUTO, HarnessMode.HTTP)
