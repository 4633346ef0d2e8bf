"""Walking the folders of a store: which log of each session's folder counts (docs/storage.md)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFault
from dsh_lsp.sessions.layout import LogName, log_names
from dsh_lsp.sessions.query import ListingFault


@dataclass(frozen=True, slots=True)
class FoundLog:
    """The log that counts in one session's folder, by the names of its folders and its file.

    `revision` changes whenever the file's content may have changed. `rival` is another log of the
    same generation beside it, which a harness refuses.
    """

    path: str
    name: LogName
    project: str
    folder: str
    revision: str
    rival: LogName | None = None

    @property
    def written(self) -> int:
        """When it was written to last, in Unix nanoseconds."""
        return int(self.revision.rpartition("-")[2], 16)


def revision_of(status: os.stat_result) -> str:
    """What tells one content of a file from another without reading it."""
    return f"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}"


Items = tuple[FoundLog | ListingFault, ...]
"""What lies in one place; nothing in a folder without a log."""

Project = dict[str, Items]
"""By the names of a project's entries, in order; the project's own fault is named ""."""

ROOT = ""
"""Stands for the store's own folder among the names of projects."""

WHOLE = ""
"""Stands for all entries of a project among their names."""


def look_at_store(root: Path) -> dict[str, Project]:
    """Everything in a store, by project. Opens folders only; a fault costs only its own place."""
    try:
        projects = _entries(str(root))
    except OSError as error:
        return {ROOT: {"": (_root_fault(root, error),)}}
    return {entry.name: look_at_project(root, entry.name) for entry in projects}


def look_at_project(root: Path, project: str) -> Project:
    """Everything in one folder of a store."""
    path = root / project
    try:
        entries = _entries(str(path)) if stat.S_ISDIR(path.stat().st_mode) else []
    except OSError as error:
        faults = _fault(str(path), error)
        return {"": faults} if faults else {}
    found = ((each.name, _entry(each, each.is_dir, project)) for each in entries)
    return {name: items for name, items in found if items}


def look_at_place(root: Path, project: str, name: str) -> Items:
    """What one entry of a project is now; nothing where there is none."""
    path = root / project / name
    place = _Place(name, str(path))
    return _entry(place, lambda: stat.S_ISDIR(path.stat().st_mode), project)


def folder_times(root: Path) -> dict[str, int] | None:
    """When the store's folder (`ROOT`) and its projects' folders changed last, in nanoseconds."""
    try:
        times = {ROOT: root.stat().st_mtime_ns}
        with os.scandir(root) as entries:
            times |= {each.name: each.stat().st_mtime_ns for each in entries if each.is_dir()}
    except OSError:
        return None
    return times


def fault_at(path: str, reason: ReadFault, message: str) -> ListingFault:
    """A fault at a path, which is shown escaped: a folder may have any name."""
    return ListingFault(one_line(path), reason, message)


def find_log(folder: Path) -> FoundLog | ListingFault | None:
    """The log of one session's folder; None when there is none."""
    return next(iter(_folder(str(folder), folder.name, folder.parent.name)), None)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


class _Place(NamedTuple):
    name: str
    path: str


def _entry(entry: _Place | os.DirEntry[str], is_dir: Callable[[], bool], project: str) -> Items:
    try:
        is_folder = is_dir()
    except OSError as error:  # such as a loop of symbolic links
        return _fault(entry.path, error)
    if is_folder:
        return _folder(entry.path, entry.name, project)
    if not entry.name.endswith((".jsonl", ".jsonl.zstd")):
        return ()
    fault = fault_at(
        entry.path,
        ReadFault.MISPLACED,
        "a log lies directly in a project's folder, so it belongs to no session, and a harness "
        "may refuse the whole store; move it into its session's folder or out of the store",
    )
    return (fault,)


def _folder(path: str, folder: str, project: str) -> Items:
    try:
        with os.scandir(path) as entries:
            by_name = {entry.name: entry for entry in entries}
        names = log_names(by_name)
        if not names:
            return ()
        entry = by_name[str(names[0])]
        status = entry.stat()
    except OSError as error:
        return _fault(path, error)
    if not stat.S_ISREG(status.st_mode):
        fault = fault_at(
            entry.path,
            ReadFault.UNREADABLE,
            "this is not a regular file, so it is not opened; move it out of the store",
        )
        return (fault,)
    rival = names[1] if names[1:] and names[1].generation == names[0].generation else None
    return (FoundLog(entry.path, names[0], project, folder, revision_of(status), rival),)


def _fault(place: str, error: OSError) -> Items:
    if isinstance(error, FileNotFoundError):  # gone since its folder was read: no fault
        return ()
    return (os_fault(place, error),)


def os_fault(place: str, error: OSError) -> ListingFault:
    """Why the operating system does not let us read a place."""
    if isinstance(error, PermissionError):
        return fault_at(
            place,
            ReadFault.NO_PERMISSION,
            "permission denied; give your user the right to read it",
        )
    if isinstance(error, FileNotFoundError):
        return fault_at(place, ReadFault.NOT_FOUND, "it is not there any more")
    why = error.strerror or type(error).__name__
    return fault_at(
        place,
        ReadFault.UNREADABLE,
        f"the operating system cannot read it ({why}); repair it or move it out of the store",
    )


def _root_fault(root: Path, error: OSError) -> ListingFault:
    if isinstance(error, FileNotFoundError):
        message = (
            "there is no session store here; run a harness once, or set dsh.home (or DSH_HOME) to "
            "the harness's home folder"
        )
        return fault_at(str(root), ReadFault.NOT_FOUND, message)
    if isinstance(error, NotADirectoryError):
        message = (
            "the session store is a file, not a folder; set dsh.home (or DSH_HOME) to the "
            "harness's home folder"
        )
        return fault_at(str(root), ReadFault.UNREADABLE, message)
    return os_fault(str(root), error)
