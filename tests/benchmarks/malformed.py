"""A prompt of 250,000 malformed mentions: how long it holds up everything else that is asked."""

from __future__ import annotations

import asyncio
import itertools
import time

from dsh_lsp.server import garbage
from dsh_lsp.server.client import Client
from dsh_lsp.server.diagnostics import Diagnostics, Outlet
from dsh_lsp.server.documents import Change, changed
from dsh_lsp.server.state import State
from tests.benchmarks.measuring import milliseconds, percentile, row
from tests.support.scenes import URI, make_state, open_document

MENTIONS = 250_000
KEYS = 7
_EDITOR = Client(pulls_diagnostics=True, refreshes_diagnostics=True)


def run() -> None:
    """Print the rows."""
    garbage.settle()  # as the server does
    asyncio.run(_measure())


async def _measure() -> None:
    state = make_state(client=_EDITOR)
    diagnostics = Diagnostics(state, Outlet(lambda _: None, lambda: asyncio.sleep(0)))
    lines = ("dsh-session:MQ= and words, @[a label](dsh-session:bad)\n" for _ in itertools.count())
    open_document(state, "".join(itertools.islice(lines, MENTIONS // 2)))
    opened, held = await _watched(_pull(state, diagnostics))
    row(f"{MENTIONS:,} malformed mentions, their diagnostics", milliseconds(opened))
    row("  meanwhile the event loop is held up, at most", milliseconds(held))
    times, holds = [], []
    for version in range(2, KEYS + 2):
        middle = (MENTIONS // 4, 0)
        edit = [Change("x", middle, middle)]
        state.documents[URI] = changed(state.documents[URI], version, edit, state.client.unit)
        spent, held = await _watched(_pull(state, diagnostics))
        times.append(spent)
        holds.append(held)
    row("  keystroke in them, their diagnostics", milliseconds(percentile(times, 0.5)))
    held, worst = percentile(holds, 0.5), max(holds)
    value = f"{milliseconds(held)}, once {milliseconds(worst)}"
    row("  meanwhile the event loop is held up", value, "<= 100 ms", met=held <= 0.1)
    state.aside.close()


async def _pull(state: State, diagnostics: Diagnostics) -> None:
    """What an editor asks for behind a keystroke, and what follows by itself."""
    while (document := state.unread()) is not None:
        await state.read(document)
    await diagnostics.pull(state.documents[URI], None)
    await asyncio.sleep(0.1)


async def _watched(work) -> tuple[float, float]:
    """Seconds that the work took, and the longest that the event loop was held up meanwhile."""
    holds = [0.0]

    async def look() -> None:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            holds.append(time.perf_counter() - start - 0.001)

    looking = asyncio.ensure_future(look())
    start = time.perf_counter()
    await work
    spent = time.perf_counter() - start
    looking.cancel()
    return spent, max(holds)
