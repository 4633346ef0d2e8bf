"""Checking a prompt: what must be read for it, and the problems that follow."""

from __future__ import annotations

import logging

import anyio

from dsh_lsp.core.checks.diagnosis import Checks, Facts, diagnose, needed
from dsh_lsp.core.checks.missing_files import paths_to_look_up
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.server.certainty import missing_cwd, place_without_target
from dsh_lsp.server.scene import Scene, cwd_of
from dsh_lsp.sessions.query import SessionQuery
from dsh_lsp.settings import DiagnosticSettings, HarnessMode

MAX_PATHS = 200
"""Path mentions looked up for one check; a prompt that names more is not a prompt."""

_CONCURRENT_READS = 4

_log = logging.getLogger("dsh_lsp.server")


async def gather(prompt: Prompt, scene: Scene, limits: Limits) -> Facts:
    """Read every mentioned session and look up every path, in parallel, each failing alone."""
    target_id = scene.target.session_id
    sources: dict[str, Surface | ReadFailedError] = {}
    missing: set[str] = set()
    lock = anyio.Semaphore(_CONCURRENT_READS)

    async def read(session_id: str) -> None:
        async with lock:
            sources[session_id] = await read_source(scene.services.query, session_id)

    async def look(cwd: str, path: str) -> None:
        async with lock:
            if not await _exists(scene, cwd, path):
                missing.add(path)

    async with anyio.create_task_group() as tasks:
        for session_id in needed(prompt, target_id=target_id):
            tasks.start_soon(read, session_id)
        paths = _paths_to_check(prompt, scene)
        cwd = await cwd_of(scene) if paths else None
        if cwd is not None:
            for path in paths:
                tasks.start_soon(look, cwd, path)
        place = await place_without_target(scene)
        no_folder = await missing_cwd(scene)
    return Facts(
        target_id,
        sources,
        limits,
        frozenset(missing),
        folder=cwd or "",
        target_is_not_in=place,
        missing_cwd=no_folder,
        refuses_commands=scene.settings.harness.mode is not HarnessMode.EMBEDDED,
    )


async def read_source(query: SessionQuery, session_id: str) -> Surface | ReadFailedError:
    """One session, or why not; whatever goes wrong below costs only this session."""
    try:
        return await query.read_surface(session_id)
    except ReadFailedError as fault:
        return fault
    except Exception as fault:
        _log.warning("reading a session failed with %s", type(fault).__name__)
        return ReadFailedError(
            f"The session could not be read ({type(fault).__name__}); try again.",
            ReadFault.UNREADABLE,
        )


def problems_of(prompt: Prompt, facts: Facts, scene: Scene) -> tuple[Problem, ...]:
    """All problems but those whose check has been switched off."""
    return diagnose(
        prompt,
        facts,
        checks=checks_of(scene.settings.diagnostics),
        measurements=scene.memory.measurements,
    )


def checks_of(settings: DiagnosticSettings) -> Checks:
    """Which checks are on. An error is never switched off here, since it forbids sending."""
    on = settings.enabled
    return Checks(
        truncated=on and settings.truncated,
        stale_label=on and settings.stale_label,
        file_not_found=on and settings.file_not_found,
        duplicate=on and settings.duplicate,
        credential=on and settings.credential,
    )


def _paths_to_check(prompt: Prompt, scene: Scene) -> tuple[str, ...]:
    if not (scene.settings.files.enabled and scene.settings.diagnostics.file_not_found):
        return ()
    return paths_to_look_up(prompt, MAX_PATHS)


async def _exists(scene: Scene, cwd: str, path: str) -> bool:
    """Whether a path names something; a failing look-up is no reason to complain."""
    try:
        return await scene.services.files.details(cwd, path) is not None
    except Exception as fault:
        _log.warning("looking up a path failed with %s", type(fault).__name__)
        return True
