"""How many columns of a terminal a text takes."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """Columns of one line without control characters: wide characters take two, marks none."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
