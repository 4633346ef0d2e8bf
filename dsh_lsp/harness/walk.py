"""A bounded walk over a folder, nearest entries first."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dsh_lsp.harness.ignore import Ignore
from dsh_lsp.harness.port import FoundFile


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a walk ends. `depth` counts folders below the start: 0 lists the start alone."""

    entries: int = 50_000
    depth: int = 24
    seconds: float = 2.0


Stop = Callable[[], bool]
"""Asked often whether the walk shall end early."""


def walk(
    folder: Path, ignore: Ignore, *, root: Path, bounds: Bounds, stop: Stop
) -> Iterator[FoundFile]:
    """What is below `folder`, breadth first, with paths relative to where `ignore` began.

    Hidden folders and links to folders are named but not entered, so a loop of links ends; a link
    that leaves `root` (a resolved path) is left out. A folder that cannot be read is empty.
    """
    waiting = deque([(folder, ignore, 0)])
    seen = 0
    while waiting:
        place, here, depth = waiting.popleft()
        for entry in _entries(place):
            seen += 1
            if seen > bounds.entries or stop():
                return
            is_folder = _kind(entry, root)
            if is_folder is None or here.ignores(entry.name + "/" * is_folder):
                continue
            yield FoundFile(here.place + entry.name, is_folder)
            if is_folder and depth < bounds.depth and _may_enter(entry):
                below = Path(entry.path)
                waiting.append((below, here.below(below, entry.name), depth + 1))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _kind(entry: os.DirEntry[str], root: Path) -> bool | None:
    """Whether this is a folder; None for what is no file, is unreadable or leaves `root`."""
    try:
        if entry.is_symlink() and not Path(entry.path).resolve(strict=True).is_relative_to(root):
            return None
        if entry.is_dir():
            return True
        return False if stat.S_ISREG(entry.stat().st_mode) else None
    except (OSError, RuntimeError):
        return None


def _may_enter(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and not entry.is_symlink()
