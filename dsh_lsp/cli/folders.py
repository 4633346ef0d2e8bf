"""Folders as people name them at a shell."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from dsh_lsp.cli.prompt_file import STANDARD_INPUT
from dsh_lsp.core.display import one_line


def folder(text: str) -> str:
    """An absolute path: `~` is the home folder, anything relative begins in the current one."""
    # Links are left as they were named, since that is how sessions name their folders.
    return os.path.abspath(os.path.expanduser(text))  # noqa: PTH100, PTH111


def missing(named: Mapping[str, str | None]) -> Iterator[str]:
    """What to tell of each named folder, by its option, that is none."""
    for option, path in named.items():
        if path is not None and not Path(path).is_dir():
            yield f"{option}: there is no folder {one_line(path)}"


def workspace_of(path: str) -> str:
    """The folder that an editor would have open for a prompt file.

    That is the nearest one above it with a `.git`, else its own; for standard input the current
    one.
    """
    if path == STANDARD_INPUT:
        return str(Path.cwd())
    own = Path(folder(path)).parent
    above = (each for each in (own, *own.parents) if (each / ".git").exists())
    return str(next(above, own))
