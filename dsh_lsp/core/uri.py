"""The `dsh-session:` URI codec (docs/mentions.md)."""

from __future__ import annotations

SCHEME = "dsh-session:"


def encode(session_id: str) -> str:
    """The canonical URI of a session id; any string, lone surrogates included, round-trips."""
    raise NotImplementedError


def decode(uri: str) -> str:
    """The session id of a canonical URI.

    Raises `InvalidReferenceError`, whose message tells what is wrong (scheme, padding, alphabet,
    not JSON, not a string, not canonical) and what to do.
    """
    raise NotImplementedError
