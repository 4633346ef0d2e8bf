"""Reading a host's history backwards, as far as somebody needs it."""

from __future__ import annotations

from collections.abc import Sequence

from dsh_lsp.core.javascript import is_number
from dsh_lsp.core.log.events import Event
from dsh_lsp.harness.wire.errors import GarbageError, TooLargeError
from dsh_lsp.harness.wire.shapes import first_seq
from dsh_lsp.harness.wire.whereabouts import Stage, Whereabouts, find_request
from dsh_lsp.harness.wire.wire import Wire
from dsh_lsp.sessions.hosted import HistoryPage

_FIRST_MESSAGES = 4
_MOST_MESSAGES = 256


async def read_page(wire: Wire, session_id: str, through: int | None, messages: int) -> HistoryPage:
    """One page, made shorter when it is too large to be read. Raises `HostError`."""
    while True:
        try:
            page = await wire.page(session_id, through, messages)
        except TooLargeError:
            if messages == 1:
                raise
            messages = max(1, messages // 4)
            continue
        if page.records and through is not None and (first_seq(page.records[0]) or 0) > through:
            raise GarbageError("the host's history does not go back when asked to")
        return page


async def locate(
    wire: Wire, session_id: str, request_id: str, *, since: int | None = None
) -> Whereabouts:
    """Where a prompt is. Raises `HostError`.

    Without `since` the search ends at the newest trace of it. With `since` (Unix milliseconds)
    everything from that time on is looked through, so that every copy is counted.
    """
    records: list[Event] = []
    through, messages = None, _FIRST_MESSAGES
    while True:
        page = await read_page(wire, session_id, through, messages)
        records = [*page.records, *records]
        found = find_request(records, request_id)
        if not page.more or not page.records:
            return found
        if found.stage is not Stage.NOWHERE if since is None else _began_before(records, since):
            return found
        through = (first_seq(page.records[0]) or 0) - 1
        messages = min(messages * 4, _MOST_MESSAGES)


def _began_before(records: Sequence[Event], since: int) -> bool:
    time = records[0].get("time", records[0].get("time0"))
    return is_number(time) and time < since
