"""The demo as plain lines, for pipes and files."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TextIO

from dsh_lsp.cli.width import width
from dsh_lsp.core.display import one_line, visible
from dsh_lsp.demo.screen import Mark, Row, changed_lines, clipped
from dsh_lsp.demo.shown_text import shown_lines

_WIDTH = 100


class PlainScreen:
    """Writes lines without colours, frames or cursor movements."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def title(self, text: str) -> None:
        """Underlined."""
        self._line(text)
        self._line("=" * len(text))

    def step(self, text: str) -> None:
        """A heading after an empty line."""
        self._line("")
        self._line(f"== {text}")

    def say(self, text: str) -> None:
        """A wrapped paragraph."""
        for line in textwrap.wrap(one_line(text), _WIDTH):
            self._line(line)

    def menu(self, rows: Sequence[Row], chosen: int | None) -> None:
        """One line a row."""
        for place, row in enumerate(rows):
            mark = ">" if place == chosen else " "
            detail = f"   ({one_line(row.detail)})" if row.detail else ""
            self._line(f"  {mark} {row.kind:<8} {one_line(row.label)}{detail}")

    def document(self, text: str, marks: Sequence[Mark]) -> None:
        """Numbered lines, each with the diagnostics that begin in it."""
        for number, line in enumerate(shown_lines(text), start=1):
            self._line(f"  {number:>3} | {line.text}")
            for mark in marks:
                if line.start <= mark.start < line.start + len(line.columns):
                    column = line.column(mark.start)
                    length = max(1, line.column(mark.end) - column)
                    self._line(f"      | {' ' * column}{'~' * length}")
                    self._wrapped(f"      |   {mark.severity} ", f"{mark.code}: {mark.message}")

    def change(self, reason: str, before: str, after: str) -> None:
        """The lines that differ, as in a patch."""
        self._line(f"  * {one_line(reason)}")
        gone, new = changed_lines(before, after)
        for sign, lines in (("-", gone), ("+", new)):
            for line in shown_lines("\n".join(lines)) if lines else ():
                self._line(f"      {sign} {line.text}")

    def hover(self, markdown: str, lines: int) -> None:
        """The Markdown as it came."""
        self._quoted(clipped(visible(markdown), lines))

    def quote(self, heading: str, text: str, lines: int) -> None:
        """Indented."""
        self._line(f"  {heading}:")
        self._quoted(clipped(visible(text), lines))

    def facts(self, pairs: Sequence[tuple[str, str]]) -> None:
        """One line each."""
        column = max(width(name) for name, _ in pairs)
        for name, value in pairs:
            self._wrapped(f"  {name}{' ' * (column - width(name))}  ", value)

    def _quoted(self, text: str) -> None:
        for line in text.split("\n"):
            for piece in textwrap.wrap(line, _WIDTH, drop_whitespace=False) or [""]:
                self._line(f"    {piece.rstrip()}")

    def _wrapped(self, head: str, text: str) -> None:
        first, *others = textwrap.wrap(one_line(text), _WIDTH - len(head)) or [""]
        self._line(head + first)
        for line in others:
            self._line(" " * width(head) + line)

    def _line(self, text: str) -> None:
        self._stream.write(f"{text.rstrip()}\n")
        self._stream.flush()
