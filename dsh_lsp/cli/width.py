"""How many columns of a terminal a text takes."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """Columns of one line without control characters: wide characters take two, marks none."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def crop(text: str, columns: int) -> str:
    """As much of the start of a text as fits."""
    taken = 0
    for place, char in enumerate(text):
        taken += _char_width(char)
        if taken > columns:
            return text[:place]
    return text


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
