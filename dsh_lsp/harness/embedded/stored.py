"""What a stored log says, without opening the session."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.core.log.events import Event, parse_line
from dsh_lsp.harness.embedded.draft import INTERRUPTED
from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.port import HarnessError
from dsh_lsp.sessions.logfile import batches, open_log
from dsh_lsp.sessions.scan import FoundLog


def read_events(found: FoundLog) -> tuple[Event, ...]:
    """All events of a log. Blocks. Raises `HarnessError`."""
    try:
        with open_log(found.path, found.name) as log:
            lines = (line for batch in batches(log, threading.Event()) for line in batch.lines)
            next(lines)  # the header
            return tuple(parse_line(line) for line in lines)
    except (ReadFailedError, ValueError) as error:
        raise HarnessError(f"{found.path}: the log cannot be read: {error}") from error


def stored_ledger(events: Iterable[Event]) -> Ledger:
    """The state of a session that nobody works on: a turn that is open was interrupted.

    Raises `HarnessError`.
    """
    ledger = Ledger()
    try:
        for event in events:
            ledger.apply(event)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HarnessError("the log holds a malformed event; choose another session") from error
    if ledger.open_turn is not None:
        end = {"turn": ledger.open_turn, "reason": INTERRUPTED}
        ledger.apply({"type": "turn/end", "data": end})
    return ledger
