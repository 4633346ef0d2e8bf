"""Looking at a store when the operating system says that something changed (docs/storage.md)."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path, PurePath

import anyio

from dsh_lsp.sessions.notices import NoNoticesError, Paths, notices
from dsh_lsp.sessions.polling import Polling
from dsh_lsp.sessions.query import Listing
from dsh_lsp.sessions.scan import WHOLE
from dsh_lsp.sessions.store import SessionStore

MISSING_PAUSE = 0.1
"""Seconds between two looks for a store that is not there yet."""

SAFETY_PAUSE = 30.0
"""Seconds after which a store is looked through without notice: a network drive may tell none.

Meanwhile it is glanced at with each tick that tells nothing."""

QUIET = 5.0
"""Seconds without news after which that is done: news that come meanwhile have to wait for it."""

POSTPONED = 300.0
"""Seconds for which it is put off at most."""

_SHARE = 50  # looking without notice takes at most one part in fifty of the time


class Notified:
    """Looks only at the places that changed. Polls where the operating system tells nothing."""

    def __init__(self, otherwise: Polling | None = None) -> None:
        self._otherwise = otherwise or Polling()

    async def looks(self, store: SessionStore) -> AsyncGenerator[Listing, None]:
        """The store's listing whenever it may have changed, without an end."""
        yield await store.refresh()
        while True:
            root = await _appearing(store.root)
            try:
                async with contextlib.aclosing(self._told(store, root)) as told:
                    async for listing in told:
                        yield listing
            except NoNoticesError:
                if await _identity(store.root) == root:
                    break
            yield await store.refresh()
        async with contextlib.aclosing(self._otherwise.looks(store)) as polled:
            async for listing in polled:
                yield listing

    async def _told(
        self, store: SessionStore, root: tuple[int, int]
    ) -> AsyncGenerator[Listing, None]:
        """Until the store's folder is another one. Raises `NoNoticesError`."""
        due = _Due()  # with the first notice, since only from then on none is missed
        async with contextlib.aclosing(notices(store.root)) as news:
            async for paths in news:
                if await _identity(store.root) != root:
                    return
                places = None if due.comes_with(paths) else _places(store.root, paths)
                if places is None:
                    start = time.monotonic()
                    listing = await store.refresh()
                    due.done(time.monotonic() - start)
                    yield listing
                elif places:
                    yield await store.update(places)
                else:
                    yield await store.glance()


class _Due:
    """When a store is to be looked through without notice."""

    def __init__(self) -> None:
        self._next = self._last_news = -math.inf

    def comes_with(self, paths: Paths) -> bool:
        """Whether it is time now, when these paths were told."""
        now = time.monotonic()
        if paths:
            self._last_news = now
        is_quiet = now - self._last_news >= QUIET
        return now >= self._next + (0.0 if is_quiet else POSTPONED)

    def done(self, took: float) -> None:
        """It has been looked through, which took so many seconds."""
        self._next = time.monotonic() + max(SAFETY_PAUSE, took * _SHARE)


async def _appearing(root: Path) -> tuple[int, int]:
    """The identity of the store's folder, once there is one."""
    while (identity := await _identity(root)) is None:  # noqa: ASYNC110 - nobody could tell us
        await anyio.sleep(MISSING_PAUSE)
    return identity


async def _identity(root: Path) -> tuple[int, int] | None:
    try:
        status = await anyio.Path(root).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _places(root: Path, paths: Paths) -> set[tuple[str, str]] | None:
    """The places of a store that the paths lie in; None when only looking everywhere will do."""
    try:
        return set(_each_place(root, paths))
    except ValueError:
        return None


def _each_place(root: Path, paths: Paths) -> Iterator[tuple[str, str]]:
    for path in paths:
        parts = PurePath(path).relative_to(root).parts
        if not parts:
            raise ValueError("the store itself changed")
        yield parts[0], parts[1] if len(parts) > 1 else WHOLE
