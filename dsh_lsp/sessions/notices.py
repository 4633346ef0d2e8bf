"""What the operating system tells of changes below a folder."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import anyio.to_thread

TICK = 1.0
"""Seconds after which an empty set says that nothing changed; the first says that it works now."""

_BURST_MS = 100  # changes that follow each other are told together, at the latest after this
_STEP_MS = 25  # without another change
_FAREWELL = 2.0  # seconds for the thread to end

Paths = frozenset[str]


class NoNoticesError(Exception):
    """The operating system tells nothing here: no such folder, no such service, or a limit."""


async def notices(folder: Path) -> AsyncGenerator[Paths, None]:
    """Paths at or below a folder where something changed, a set for each burst, without an end.

    Raises `NoNoticesError`. The thread that waits for changes ends with the generator.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Paths | NoNoticesError] = asyncio.Queue()
    stop = threading.Event()

    def tell(news: Paths | NoNoticesError) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens
            loop.call_soon_threadsafe(queue.put_nowait, news)

    def listen() -> None:
        try:
            from watchfiles import watch  # here, since nobody waits for it at the start

            for changes in watch(
                folder,
                watch_filter=None,
                debounce=_BURST_MS,
                step=_STEP_MS,
                stop_event=stop,
                rust_timeout=int(TICK * 1_000),
                yield_on_timeout=True,
                raise_interrupt=False,
                force_polling=False,  # as it would do on WSL: looking is done better here
                ignore_permission_denied=True,
            ):
                tell(frozenset(path for _, path in changes))
        except Exception as error:  # its errors are of many types, and of none that is documented
            fault = NoNoticesError(type(error).__name__)
        else:
            fault = NoNoticesError("it ended")
        tell(fault)

    thread = threading.Thread(target=listen, name="dsh-lsp watching", daemon=True)
    thread.start()
    try:
        while True:
            news = await queue.get()
            if isinstance(news, NoNoticesError):
                raise news
            yield news
    finally:
        stop.set()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(thread.join, _FAREWELL)
