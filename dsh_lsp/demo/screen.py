"""What the demo can put on a screen; `terminal` and `plain` are the two ways of doing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

LONGEST_LINE = 360
"""Characters shown of one line of quoted text."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a menu or a list: what it is called, and what stands beside it."""

    kind: str
    label: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """One diagnostic on a document: code-point offsets, severity by name, code and message."""

    start: int
    end: int
    severity: str
    code: str
    message: str


class Screen(Protocol):
    """Shows. All text given to it is untrusted: the screen makes controls visible."""

    def title(self, text: str) -> None:
        """The head of the whole."""
        ...

    def step(self, text: str) -> None:
        """A new step begins."""
        ...

    def say(self, text: str) -> None:
        """What the user does, in a sentence."""
        ...

    def menu(self, rows: Sequence[Row], chosen: int | None) -> None:
        """A completion menu or a list; `chosen` is the row under the cursor."""
        ...

    def document(self, text: str, marks: Sequence[Mark]) -> None:
        """A buffer with its diagnostics."""
        ...

    def change(self, reason: str, before: str, after: str) -> None:
        """What an edit did to a buffer."""
        ...

    def hover(self, markdown: str, lines: int) -> None:
        """A hover window of at most so many lines."""
        ...

    def quote(self, heading: str, text: str, lines: int) -> None:
        """Plain text in a frame, at most so many lines."""
        ...

    def facts(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Names and values."""
        ...


def clipped(text: str, lines: int) -> str:
    """The first lines of a text, long ones cut; what is not shown is counted."""
    every = [_cut(line) for line in text.rstrip("\n").split("\n")]
    if len(every) <= lines:
        return "\n".join(every)
    return "\n".join([*every[: lines - 1], f"… {len(every) - lines + 1} more lines"])


def _cut(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return line if more <= 0 else f"{line[:LONGEST_LINE]} … {more:,} more characters"


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that differ: those that went, and those that came."""
    old, new = before.split("\n"), after.split("\n")
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new
