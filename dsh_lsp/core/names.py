"""Names of sessions inside messages: one line, and never long."""

from __future__ import annotations

from dsh_lsp.core.display import one_line

_LONGEST = 80  # characters; the harness's own titles have at most 80 bytes


def short_name(text: str) -> str:
    """A title, label or id for a message, cut where it is overlong."""
    shown = one_line(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
    return shown if shown.strip() else f"“{shown}”"
