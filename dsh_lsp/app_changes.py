"""The news of several sources of sessions as one endless stream."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable

AGAIN_SECONDS = 10.0
"""How long a stream that failed rests before it begins again."""

Stream = Callable[[], AsyncIterator[object]]

_log = logging.getLogger(__name__)


async def together(*streams: Stream) -> AsyncGenerator[object, None]:
    """What any of the streams tells.

    One that fails begins again after a while, and costs the others nothing. An item more is told
    then, since nobody saw what changed meanwhile.
    """
    news: asyncio.Queue[object] = asyncio.Queue()
    tasks = [asyncio.create_task(_follow(stream, news.put_nowait)) for stream in streams]
    try:
        while True:
            yield await news.get()
    finally:
        for task in tasks:
            task.cancel()


async def _follow(stream: Stream, tell: Callable[[object], None]) -> None:
    while True:
        try:
            async for item in stream():
                tell(item)
        except Exception as fault:
            _log.warning("watching sessions failed with %s; it begins again", type(fault).__name__)
        await asyncio.sleep(AGAIN_SECONDS)
        tell(None)
