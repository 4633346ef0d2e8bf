"""Names of sessions in mentions and messages: one line, and never long."""

from __future__ import annotations

from dsh_lsp.core.display import one_line

_LONGEST = 80  # characters; the harness's own titles have at most 80 bytes

_LONGEST_LABEL = 1_000


def mention_label(display_title: str) -> str:
    """The label that a mention of a session gets: what it is called, cut where that is overlong.

    A log may call its session by a megabyte, which nobody wants in a prompt, or fifty times in a
    list of rows at every keystroke.
    """
    return one_line(_cut(display_title, _LONGEST_LABEL))


def short_name(text: str) -> str:
    """A title, label or id for a message, cut where it is overlong."""
    shown = one_line(_cut(text, _LONGEST))
    return shown if shown.strip() else f"“{shown}”"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
