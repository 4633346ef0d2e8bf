"""Showing untrusted text: controls, bidirectional marks and line breaks made visible."""

from __future__ import annotations


def one_line(text: str) -> str:
    """A label, id or path for display: line breaks become spaces, controls visible escapes."""
    raise NotImplementedError


def visible(text: str) -> str:
    """Several lines for display: LF and TAB stay, other controls become visible escapes."""
    raise NotImplementedError


def fenced(text: str) -> str:
    """`text`, made visible, as a Markdown code block that nothing inside can close."""
    raise NotImplementedError


def byte_size(count: int) -> str:
    """A size for people, such as `41.2 KiB`."""
    raise NotImplementedError


def age(created_at: int, now: int) -> str:
    """How long ago, for people, such as `3 h ago`; both are Unix milliseconds."""
    raise NotImplementedError
