"""Files on disk that `@path` can name, below the cwd of a session (docs/settings.md)."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

from dsh_lsp.harness.file_match import Matchable, best, matchable
from dsh_lsp.harness.ignore import Ignore, ignore_at
from dsh_lsp.harness.port import FileDetails, FoundFile
from dsh_lsp.harness.walk import Bounds, Stop, walk

FRESH_SECONDS = 3.0
"""How long one walk answers the next keystrokes."""

KEPT_WALKS = 8

THREADS = 4
"""Looks at a disk at once, those included that nobody waits for any more: a disk may hang."""


@dataclass(frozen=True, slots=True)
class _Walk:
    files: tuple[Matchable, ...]
    until: float


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder below a root: `path` is as on disk, empty or with a final `/`."""

    root: Path
    folder: Path
    path: str


class FilesOnDisk:
    """Finds files below a cwd and never looks outside it, neither through `..` nor through links.

    Ignore files, `exclude` (patterns as in .gitignore) and bounds limit what is offered; `details`
    knows ignored files too, since a user may name one. Both raise TimeoutError while earlier looks
    wait for a disk that does not answer.
    """

    def __init__(
        self,
        exclude: Sequence[str] = (),
        *,
        bounds: Bounds | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exclude = tuple(exclude)
        self._bounds = bounds or Bounds()
        self._clock = clock
        self._walks: dict[tuple[_Place, bool], _Walk] = {}
        self._lock = threading.Lock()
        self._threads = anyio.CapacityLimiter(THREADS)
        # The limiter forgets a thread that is left behind, so that each key could leave another.
        self._turns = threading.Semaphore(THREADS)

    async def find(self, cwd: str, query: str, limit: int) -> Sequence[FoundFile]:
        """The best matches below `cwd`; behind a `/`, those below the folder that was typed.

        An unreadable or missing `cwd`, and a query that leaves it, find nothing.
        """
        cancelled = threading.Event()
        try:
            return await anyio.to_thread.run_sync(
                self._find,
                cwd,
                query,
                limit,
                cancelled,
                abandon_on_cancel=True,
                limiter=self._threads,
            )
        finally:
            cancelled.set()

    async def details(self, cwd: str, path: str) -> FileDetails | None:
        """Size and kind of what `path` names below `cwd`; None when there is nothing."""
        return await anyio.to_thread.run_sync(
            self._details, cwd, path, abandon_on_cancel=True, limiter=self._threads
        )

    def _details(self, cwd: str, path: str) -> FileDetails | None:
        with self._turn():
            return _details(cwd, path)

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=self._bounds.seconds):
            raise TimeoutError("the disk does not answer")
        try:
            yield
        finally:
            self._turns.release()

    def _find(
        self, cwd: str, query: str, limit: int, cancelled: threading.Event
    ) -> Sequence[FoundFile]:
        with self._turn():
            return self._best(cwd, query, limit, cancelled)

    def _best(
        self, cwd: str, query: str, limit: int, cancelled: threading.Event
    ) -> Sequence[FoundFile]:
        typed, slash, wanted = query.rpartition("/")
        root = _root(cwd)
        if root is None or limit < 1:
            return ()
        place = _folder(root, typed + slash)
        if place is None:
            return ()
        if place.folder.is_dir():
            files = self._below(place, deep=bool(wanted), cancelled=cancelled)
            return best(files, wanted=wanted, limit=limit)
        start = _Place(root, root, "")
        files = self._below(start, deep=True, cancelled=cancelled)
        return best(files, wanted=query, limit=limit)

    def _below(
        self, place: _Place, *, deep: bool, cancelled: threading.Event
    ) -> Sequence[Matchable]:
        """What is in a folder, or `deep` below it, from a recent walk or a new one."""
        key = (place, deep)
        now = self._clock()
        with self._lock:
            kept = self._walks.get(key)
        if kept is not None and now < kept.until:
            return kept.files
        found = self._walk(place, deep=deep, stop=self._stop(now, cancelled))
        files = tuple(matchable(found, below=place.path))
        if not cancelled.is_set():
            with self._lock:
                self._walks.pop(key, None)
                self._walks[key] = _Walk(files, self._clock() + FRESH_SECONDS)
                if len(self._walks) > KEPT_WALKS:
                    del self._walks[next(iter(self._walks))]
        return files

    def _walk(self, place: _Place, *, deep: bool, stop: Stop) -> Iterator[FoundFile]:
        ignore = _ignore_in(place, self._exclude)
        if ignore is None:
            return iter(())
        bounds = self._bounds if deep else Bounds(self._bounds.entries, 0, self._bounds.seconds)
        return walk(place.folder, ignore, root=place.root, bounds=bounds, stop=stop)

    def _stop(self, started: float, cancelled: threading.Event) -> Stop:
        end = started + self._bounds.seconds
        return lambda: cancelled.is_set() or self._clock() > end


def _root(cwd: str) -> Path | None:
    try:
        path = Path(cwd)
        return path.resolve(strict=True) if path.is_absolute() and path.is_dir() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _folder(root: Path, typed: str) -> _Place | None:
    """The folder that was typed, which need not exist; None when it leaves the root."""
    named = _named(root, typed)
    if named is None:
        return None
    folder = root.joinpath(*named)
    return (
        _Place(root, folder, "".join(f"{part}/" for part in named))
        if _inside(folder, root)
        else None
    )


def _ignore_in(place: _Place, exclude: Sequence[str]) -> Ignore | None:
    """What is left out in a folder; None when the folder itself is."""
    ignore = ignore_at(place.root, exclude)
    folder = place.root
    for part in place.folder.relative_to(place.root).parts:
        if ignore.ignores(f"{part}/"):
            return None
        folder /= part
        ignore = ignore.below(folder, part)
    return ignore


def _details(cwd: str, path: str) -> FileDetails | None:
    root = _root(cwd)
    named = None if root is None else _named(root, path)
    if root is None or named is None:
        return None
    place = root.joinpath(*named)
    try:
        if not _inside(place, root):
            return None
        status = place.stat()
    except (OSError, ValueError):
        return None
    return FileDetails(stat.S_ISDIR(status.st_mode), status.st_size)


def _named(root: Path, path: str) -> tuple[str, ...] | None:
    """The parts of a typed path below `root` as they are on disk; None when it leaves `root`.

    A name typed in the other Unicode normal form finds the one on disk. A part that does not exist
    stays as it was typed.
    """
    if "\0" in path or path.startswith("/") or Path(path).is_absolute():
        return None
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(_on_disk(root.joinpath(*parts), part))
    return tuple(parts)


def _on_disk(folder: Path, name: str) -> str:
    try:
        if name.isascii() or os.path.lexists(folder / name):
            return name
        wanted = unicodedata.normalize("NFC", name)
        found = (entry.name for entry in folder.iterdir())
        return next(
            (other for other in found if unicodedata.normalize("NFC", other) == wanted), name
        )
    except (OSError, ValueError):
        return name


def _inside(path: Path, root: Path) -> bool:
    """Whether a path, its links followed, stays below the root."""
    try:
        return path.resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        return False
