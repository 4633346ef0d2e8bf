"""A line on a terminal that tells how far the reading of titles is; it leaves no trace."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import TextIO, TypeVar

import anyio

from dsh_lsp.core.failures import ReadFailedError, SessionReferenceError
from dsh_lsp.sessions.query import SessionQuery, TitlesAtHand

PATIENCE = 0.5
"""Seconds that a reading may take without a word."""

RENEWAL = 0.25
"""Seconds between two words."""

T = TypeVar("T")


async def with_progress(
    read: Callable[[], Awaitable[T]],
    source: SessionQuery | TitlesAtHand,
    session_ids: Sequence[str],
    screen: TextIO,
    patience: float = PATIENCE,
) -> T:
    """What `read` answers; meanwhile `screen`, if it is a terminal, shows what `source` knows.

    `patience` is in seconds. Raises what `read` raises.
    """
    if not screen.isatty() or not isinstance(source, TitlesAtHand):
        return await read()
    failures: list[SessionReferenceError] = []
    async with anyio.create_task_group() as group:
        group.start_soon(_show, source, tuple(session_ids), screen, patience)
        try:
            return await read()
        except SessionReferenceError as error:
            failures.append(error)  # raised outside, since a group would wrap it
        finally:
            group.cancel_scope.cancel()
    raise failures[0]


async def _show(
    source: TitlesAtHand, session_ids: Sequence[str], screen: TextIO, patience: float
) -> None:
    shown = ""
    await anyio.sleep(patience)
    try:
        with contextlib.suppress(ReadFailedError):  # whoever reads tells it
            while True:
                known = await source.known_titles(session_ids)
                line = f"reading titles: {len(known.titles):,} of {len(session_ids):,}"
                screen.write(f"\r{line}")  # the figures only grow, and so does the line
                screen.flush()
                shown = line
                await anyio.sleep(RENEWAL)
    finally:
        if shown:
            screen.write(f"\r{' ' * len(shown)}\r")
            screen.flush()
