"""What a stored log says of its requests, without opening the session."""

from __future__ import annotations

import threading

from dsh_lsp.core.events import parse_line
from dsh_lsp.core.failures import ReadFailedError
from dsh_lsp.harness.embedded.draft import INTERRUPTED
from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.port import HarnessError
from dsh_lsp.sessions.logfile import batches, open_log
from dsh_lsp.sessions.scan import FoundLog


def read_ledger(found: FoundLog) -> Ledger:
    """The state of a session that nobody works on: an open turn was interrupted.

    Blocks. Raises `HarnessError`.
    """
    ledger = Ledger()
    try:
        with open_log(found.path, found.name) as log:
            lines = (line for batch in batches(log, threading.Event()) for line in batch.lines)
            next(lines)  # the header
            for line in lines:
                ledger.apply(parse_line(line))
    except (ReadFailedError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HarnessError(f"{found.path}: the log cannot be read: {error}") from error
    if ledger.open_turn is not None:
        end = {"turn": ledger.open_turn, "reason": INTERRUPTED}
        ledger.apply({"type": "turn/end", "data": end})
    return ledger
