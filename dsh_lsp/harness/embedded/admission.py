"""What may enter the inbox: each request once, and nothing that says nothing."""

from __future__ import annotations

from dsh_lsp.core.javascript import join_surrogates
from dsh_lsp.harness.embedded.draft import Draft, spliced
from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.embedded.message import prompt
from dsh_lsp.harness.port import HarnessError, Outgoing


def admit(ledger: Ledger, outgoing: Outgoing, message_id: str) -> tuple[Draft, ...]:
    """The events that accept a prompt; none when the same request was accepted before.

    A request that came to nothing (it was removed, or its turn failed before it was recorded) may
    be sent again. Raises `HarnessError`.
    """
    text = join_surrogates(outgoing.text)
    if not text.strip():
        raise HarnessError("the prompt is empty; write something before you send it")
    known = ledger.requests.get(outgoing.request_id)
    if known is not None and not known.settled:
        if text in known.texts:
            return ()
        raise HarnessError(
            "this request id was already used in this session for another text; "
            "send the changed text with a new request id"
        )
    message = prompt(message_id, text, request_id=outgoing.request_id, time_zone=outgoing.time_zone)
    return spliced([ledger.inbox.append(outgoing.mode, message)])
