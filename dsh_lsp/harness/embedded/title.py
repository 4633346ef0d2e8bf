"""Titles of sessions, as a harness makes them without a model."""

from __future__ import annotations

import unicodedata

FALLBACK_WORDS = 5
FALLBACK_BYTES = 40
RENAME_BYTES = 80
"""UTF-8 bytes of a title that a person gives."""


def fallback_title(text: str) -> str:
    """The first words of a prompt's readable text; empty when nothing in it is visible."""
    return cut(" ".join(_visible(text).split()[:FALLBACK_WORDS]), FALLBACK_BYTES)


def given_title(text: str) -> str:
    """A title that a person gives, on one line; empty when nothing in it is visible."""
    return cut(" ".join(_visible(text).split()), RENAME_BYTES)


def cut(text: str, size: int) -> str:
    """As much of a text as fits into `size` UTF-8 bytes, without halves of code points."""
    data = text.encode("utf-8", "surrogatepass")[:size]
    while data:
        try:
            return data.decode("utf-8", "surrogatepass").rstrip()
        except UnicodeDecodeError as fault:
            data = data[: fault.start]
    return ""


def _visible(text: str) -> str:
    """Controls become spaces, and marks that only change the direction of writing go."""
    return "".join(
        " " if kind == "Cc" else "" if kind == "Cf" and _is_direction_mark(character) else character
        for character in text
        for kind in (unicodedata.category(character),)
    )


def _is_direction_mark(character: str) -> bool:
    return character in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
