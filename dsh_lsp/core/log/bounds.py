"""How large a conversation may be, so that no log, however made, takes all of the memory.

A surface is what a model sees at once. Millions of tokens are more than any model takes, a message
costs it about ten, and a token is seldom longer than a few characters: the bounds lie far above
what a harness could go on with, and far below what a few megabytes of repeats can unfold to.
"""

from __future__ import annotations

from dsh_lsp.core.failures import ReadFailedError, ReadFault

MOST_NODES = 250_000
"""Messages and tool results that a surface may hold at a time."""

MOST_TEXT = 250_000_000
"""Characters of conversation that it may hold at a time."""


def check_size(nodes: int, text: int) -> None:
    """Raises `ReadFailedError` for a surface that no model could see."""
    if nodes > MOST_NODES:
        raise _too_large(f"{MOST_NODES:,} messages")
    if text > MOST_TEXT:
        raise _too_large(f"{MOST_TEXT:,} characters")


def _too_large(bound: str) -> ReadFailedError:
    return ReadFailedError(
        f"the session's conversation is larger than {bound}, more than any model takes. Compact it "
        "in the harness, or mention another session",
        ReadFault.TOO_LARGE,
    )
