"""The demo on a terminal: panels, menus, squiggles and colours."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import ROUNDED
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from dsh_lsp.core.display import one_line, visible
from dsh_lsp.demo.screen import Mark, Row, changed_lines, clipped
from dsh_lsp.demo.shown_text import ShownLine, shown_lines

_COLOURS = {"error": "red", "warning": "yellow", "information": "blue", "hint": "cyan"}

_KINDS = {"session": "magenta", "file": "green", "folder": "blue"}


class TerminalScreen:
    """Draws with rich."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def title(self, text: str) -> None:
        """In a frame of its own."""
        self._console.print(Panel(Text(text, style="bold"), box=ROUNDED, border_style="magenta"))

    def step(self, text: str) -> None:
        """A rule across the screen."""
        self._console.print()
        self._console.print(Rule(Text(text, style="bold"), align="left", style="magenta"))

    def say(self, text: str) -> None:
        """In grey, since the screen is for what the server says."""
        self._console.print(Text(one_line(text), style="dim"))

    def menu(self, rows: Sequence[Row], chosen: int | None) -> None:
        """A box with the chosen row in reverse."""
        table = Table(box=None, show_header=False, pad_edge=False)
        for column in ("kind", "label"):
            table.add_column(column, no_wrap=True)
        table.add_column("detail", no_wrap=True, justify="right")
        for place, row in enumerate(rows):
            under_cursor = " reverse" if place == chosen else ""
            table.add_row(
                Text(row.kind, style=_KINDS.get(row.kind, "none") + under_cursor),
                Text(one_line(row.label), style=f"none{under_cursor}"),
                Text(one_line(row.detail), style=f"dim{under_cursor}"),
            )
        self._console.print(Panel.fit(table, box=ROUNDED, border_style="dim"))

    def document(self, text: str, marks: Sequence[Mark]) -> None:
        """Numbered lines; under each the squiggles and messages of its diagnostics."""
        for number, line in enumerate(shown_lines(text), start=1):
            self._console.print(_numbered(f"{number:>3}", line.text), soft_wrap=True)
            for mark in marks:
                if line.start <= mark.start < line.start + len(line.columns):
                    self._mark(line, mark)

    def change(self, reason: str, before: str, after: str) -> None:
        """The lines that differ, in red and green."""
        self._console.print(Text(f"  ✓ {one_line(reason)}", style="bold green"))
        gone, new = changed_lines(before, after)
        for sign, style, lines in (("-", "red", gone), ("+", "green", new)):
            for line in shown_lines("\n".join(lines)) if lines else ():
                self._console.print(Text(f"      {sign} {line.text}", style=style), soft_wrap=True)

    def hover(self, markdown: str, lines: int) -> None:
        """The Markdown, rendered in a window."""
        body = Markdown(clipped(visible(markdown), lines))
        self._console.print(Panel(body, box=ROUNDED, border_style="blue", padding=(0, 1)))

    def quote(self, heading: str, text: str, lines: int) -> None:
        """A titled frame."""
        body = Text(clipped(visible(text), lines))
        title = Text(heading, style="bold")
        self._console.print(Panel(body, title=title, title_align="left", border_style="dim"))

    def facts(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Two columns."""
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(style="dim", no_wrap=True)
        table.add_column()
        for name, value in pairs:
            table.add_row(f"  {name}", Text(one_line(value)))
        self._console.print(table)

    def _mark(self, line: ShownLine, mark: Mark) -> None:
        colour = _COLOURS.get(mark.severity, "")
        column = line.column(mark.start)
        length = max(1, line.column(mark.end) - column)
        squiggle = Text(" " * column + "~" * length, style=f"bold {colour}")
        self._console.print(_numbered("   ", squiggle), soft_wrap=True)
        table = Table.grid(padding=(0, 1))
        table.add_column(no_wrap=True)
        table.add_column(style=colour, no_wrap=True)
        table.add_column()
        table.add_row("    │", f"● {mark.severity}", Text(f"{mark.code}: {one_line(mark.message)}"))
        self._console.print(table)


def _numbered(number: str, line: str | Text) -> Text:
    return Text.assemble((f"{number} │ ", "dim"), line)
