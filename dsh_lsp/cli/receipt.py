"""What became of a prompt, in words for a terminal."""

from __future__ import annotations

from dsh_lsp.core.display import one_line
from dsh_lsp.harness.port import Receipt, ReceiptState


def receipt_in_words(receipt: Receipt) -> str:
    """One line."""
    reason = f": {one_line(receipt.reason)}" if receipt.reason else ""
    match receipt.state:
        case ReceiptState.CAPTURED:
            return f"captured: the session's log holds it as record {receipt.message_seq}"
        case ReceiptState.QUEUED:
            return f"queued: place {receipt.place}{reason}"
        case ReceiptState.ENDED:
            return f"ended before it was recorded{reason}"
        case ReceiptState.WAITING:
            return f"waiting: the harness has it and has not taken it up yet{reason}"
