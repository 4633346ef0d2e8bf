"""One prompt file as the server's checks see a document."""

from __future__ import annotations

import os

from dsh_lsp.app import ConflictError, connect
from dsh_lsp.cli.failures import UserError
from dsh_lsp.cli.prompt_file import PromptFile
from dsh_lsp.core.display import one_line
from dsh_lsp.server.documents import Document
from dsh_lsp.server.scene import Memory, Scene
from dsh_lsp.server.services import Services
from dsh_lsp.server.target import Choice, decide, read_choice
from dsh_lsp.settings import Settings


def services_of(settings: Settings) -> Services:
    """The services behind settings, in this process's environment. Raises `UserError`."""
    try:
        return connect(settings, os.environ)
    except ConflictError as error:
        raise UserError(one_line(str(error))) from None


def scene_of(
    prompt: PromptFile,
    *,
    target: Choice | None,
    folder: str,
    settings: Settings,
    services: Services,
    memory: Memory,
) -> Scene:
    """The prompt with its target: the option, else the front matter, else the settings."""
    document = Document(uri="", version=0, text=prompt.text)
    wished = settings.target.session
    decision = decide(
        argument=target,
        front_matter=document.prompt.front_matter,
        chosen=None,
        setting=None if wished is None else read_choice(wished),
        created=None,
    )
    return Scene(document, decision, folder, settings, services, memory)
