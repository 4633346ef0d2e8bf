"""What one request sees: one version of a document, and what holds for it at that moment."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dsh_lsp.core.limits import Limits
from dsh_lsp.server.documents import Document
from dsh_lsp.server.harness_facts import HarnessFacts
from dsh_lsp.server.services import Services
from dsh_lsp.server.target import Decision
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from dsh_lsp.settings import Settings

if TYPE_CHECKING:
    from dsh_lsp.core.measure import Measurements

_log = logging.getLogger("dsh_lsp.server")


@dataclass(frozen=True)
class Memory:
    """What is remembered between requests, as long as the services are the same."""

    harness: HarnessFacts
    resolver: SessionReferenceResolver
    targets: SessionReferenceResolver  # finds only sessions that prompts can go to

    @cached_property
    def measurements(self) -> Measurements:
        """What of sources fits; begun by the first hover or check."""
        from dsh_lsp.core.measure import Measurements

        return Measurements()


def fresh_memory(services: Services) -> Memory:
    """A memory for services that were just connected."""
    resolver = SessionReferenceResolver(services.query, limits=Limits())
    targets = resolver
    if services.targets is not None:
        targets = SessionReferenceResolver(services.targets, limits=Limits())
    return Memory(HarnessFacts(services.harness), resolver, targets)


@dataclass(frozen=True, slots=True)
class Scene:
    """One version of a document with its target, its folder, the settings and the services."""

    document: Document
    target: Decision
    folder: str | None
    settings: Settings
    services: Services
    memory: Memory


async def cwd_of(scene: Scene) -> str | None:
    """Where the prompt's paths begin: the target's directory, else the workspace folder.

    A target that has no directory, cannot be found, or is yet to be created, leaves the folder.
    """
    target_id = scene.target.session_id
    if target_id is None:
        front_matter = scene.document.prompt.front_matter
        wanted = front_matter.cwd if front_matter and scene.target.new else None
        return wanted or scene.folder
    try:
        listing = await scene.services.query.list_sessions()
    except Exception as fault:
        _log.warning("listing the sessions failed with %s", type(fault).__name__)
        return scene.folder
    for entry in listing.sessions:
        if entry.header.id == target_id:
            return entry.header.cwd or scene.folder
    return scene.folder


async def reference_target(scene: Scene) -> Target:
    """The target as the reference service knows it."""
    return Target(scene.target.session_id, await cwd_of(scene))
