"""Preparing one prompt file, for the commands that show or send it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dsh_lsp.cli.check_result import CheckResult
from dsh_lsp.cli.failures import UserError
from dsh_lsp.cli.folders import workspace_of
from dsh_lsp.cli.prompt_file import PromptFile, PromptFileError, read_prompt_file
from dsh_lsp.cli.report_human import problem_blocks, style_for
from dsh_lsp.cli.scene import scene_of
from dsh_lsp.cli.ways_out import WAYS_OUT
from dsh_lsp.core.budget import Budget
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.server.budgets import budget_of, limits_of
from dsh_lsp.server.preparing import Preparation, prepare_part
from dsh_lsp.server.scene import Scene, fresh_memory
from dsh_lsp.server.services import Services
from dsh_lsp.server.target import Choice
from dsh_lsp.settings import Settings


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A prompt file, what holds for it, and its preparation."""

    file: PromptFile
    scene: Scene
    budget: Budget
    preparation: Preparation


async def prepare_file(
    path: str, *, target: Choice | None, folder: str | None, settings: Settings, services: Services
) -> PreparedFile:
    """Read and prepare a prompt file as the server would. Raises `UserError`."""
    try:
        file = read_prompt_file(path)
    except PromptFileError as error:
        raise UserError(str(error)) from None
    scene = scene_of(
        file,
        target=target,
        folder=folder or workspace_of(path),
        settings=settings,
        services=services,
        memory=fresh_memory(services),
    )
    budget = await budget_of(scene)
    limits = limits_of(scene, budget)
    preparation = await prepare_part(scene, scene.document.prompt, limits)
    return PreparedFile(file, scene, budget, preparation)


def complain(
    prepared: PreparedFile, problems: Sequence[Problem], ways_out: Mapping[str, str] = WAYS_OUT
) -> None:
    """Tell the errors among `problems` on standard error, as `check` shows them, and ways out."""
    errors = tuple(each for each in problems if each.severity is Severity.ERROR)
    result = CheckResult(prepared.file.name, prepared.file.text, errors)
    blocks = problem_blocks(result, style_for(sys.stderr))
    for error, block in zip(errors, blocks, strict=True):
        way = ways_out.get(error.code)
        sys.stderr.write(block + (f"  -> {way}\n" if way else ""))
