"""A small TCP server of a test: on a free port of 127.0.0.1, and gone with all it did."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_MOST_BUFFERED = 1 << 26


@contextlib.asynccontextmanager
async def loopback_server(serve: Serve) -> AsyncIterator[str]:
    """Give the server's URL; `serve` gets each connection, and is cancelled at the end."""
    tasks: set[asyncio.Task[None]] = set()

    async def tracked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        with contextlib.suppress(asyncio.CancelledError):
            await serve(reader, writer)

    server = await asyncio.start_server(tracked, "127.0.0.1", 0, limit=_MOST_BUFFERED)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
