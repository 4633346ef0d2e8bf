"""Where a prompt is after what a log on this disk holds."""

from __future__ import annotations

from collections.abc import Iterator

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.events import Event, parse_line
from dsh_lsp.harness.port import Receipt, ReceiptState
from dsh_lsp.harness.wire.whereabouts import Stage, find_request
from dsh_lsp.sessions.inventory import Inventory
from dsh_lsp.sessions.logfile import Stop, batches, open_log

_TOLD_BY = (b'"agent/inbox/spliced"', b'"user/message"', b'"turn/end"')
"""Marks of the records that say something of a prompt; the others need not be parsed."""


def trace_on_disk(
    inventory: Inventory, session_id: str, request_id: str, stop: Stop
) -> Receipt | None:
    """What became of a prompt; None when the log holds nothing of it. Blocks on the disk.

    Raises `ReadFailedError`, or `StoppedError` when asked to stop.
    """
    found = find_request(_events(inventory, session_id, stop), request_id)
    match found.stage:
        case Stage.NOWHERE:
            return None
        case Stage.QUEUED:
            return Receipt(ReceiptState.QUEUED, place=found.place)
        case Stage.TAKEN:
            return Receipt(ReceiptState.WAITING)
        case Stage.ENDED:
            return Receipt(ReceiptState.ENDED, reason=found.reason)
        case Stage.RECORDED:
            return Receipt(
                ReceiptState.CAPTURED,
                message_seq=found.message_seq,
                references=found.references,
            )


def _events(inventory: Inventory, session_id: str, stop: Stop) -> Iterator[Event]:
    log = inventory.find(session_id)
    try:
        with open_log(log.path, log.name) as opened:
            for batch in batches(opened, stop):
                for line in batch.lines:
                    if any(mark in line for mark in _TOLD_BY):
                        yield parse_line(line)
    except ValueError as error:
        raise ReadFailedError("the log holds a line that is no event", ReadFault.CORRUPT) from error
