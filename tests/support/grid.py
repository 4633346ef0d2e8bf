"""Neovim's screen as a UI receives it: cells with their colours, and the cursor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pynvim  # type: ignore[import-untyped]

DRAWN = "drawn"


@dataclass(frozen=True)
class Look:
    """How a cell looks; colours are 24-bit numbers."""

    foreground: int
    background: int
    special: int
    styles: frozenset[str] = frozenset()


@dataclass
class Grid:
    """The one grid of a UI with `ext_linegrid` and no other extension."""

    cells: list[list[tuple[str, int]]] = field(default_factory=list)
    cursor: tuple[int, int] = (0, 0)
    mode: str = "normal"
    _defaults: tuple[int, int] = (0xFFFFFF, 0)
    _attributes: dict[int, dict[str, Any]] = field(default_factory=dict)

    def look(self, number: int) -> Look:
        """What a cell's highlight number stands for; 0 is the default."""
        attributes = self._attributes.get(number, {})
        foreground = attributes.get("foreground", self._defaults[0])
        background = attributes.get("background", self._defaults[1])
        if attributes.get("reverse"):
            foreground, background = background, foreground
        special = attributes.get("special", foreground)
        styles = frozenset(name for name, value in attributes.items() if value is True)
        return Look(foreground, background, special, styles)

    def apply(self, events: Iterable[list[Any]]) -> None:
        """Take in one `redraw` notification. Events that show nothing here are passed over."""
        for name, *calls in events:
            handler = getattr(self, f"_on_{name}", None)
            if handler is not None:
                for arguments in calls:
                    handler(*arguments)

    def _on_grid_resize(self, _grid: int, width: int, height: int) -> None:
        self.cells = [[(" ", 0)] * width for _ in range(height)]

    def _on_grid_clear(self, _grid: int) -> None:
        self.cells = [[(" ", 0)] * len(row) for row in self.cells]

    def _on_default_colors_set(self, foreground: int, background: int, *_: int) -> None:
        self._defaults = (foreground, background)

    def _on_hl_attr_define(self, number: int, rgb: dict[str, Any], *_others: Any) -> None:
        self._attributes[number] = rgb

    def _on_mode_change(self, mode: str, _index: int) -> None:
        self.mode = mode

    def _on_grid_cursor_goto(self, _grid: int, row: int, column: int) -> None:
        self.cursor = (row, column)

    def _on_grid_line(
        self, _grid: int, row: int, column: int, cells: list[Any], _wrap: bool = False
    ) -> None:
        number = 0
        for text, *rest in cells:
            number = rest[0] if rest else number
            repeat = rest[1] if len(rest) > 1 else 1
            for _repetition in range(repeat):
                self.cells[row][column] = (text, number)
                column += 1

    def _on_grid_scroll(
        self, _grid: int, top: int, bottom: int, left: int, right: int, rows: int, _columns: int
    ) -> None:
        before = [row[left:right] for row in self.cells]
        for row in range(max(top, top - rows), min(bottom, bottom - rows)):
            self.cells[row][left:right] = before[row + rows]


def attach(nvim: pynvim.Nvim, width: int, height: int) -> Grid:
    """A grid that Neovim draws on from now on; `update` takes in what it has drawn."""
    nvim.ui_attach(width, height, rgb=True, ext_linegrid=True)
    return Grid()


def update(grid: Grid, nvim: pynvim.Nvim, quiet: int = 300) -> None:
    """Draw what Neovim shows `quiet` milliseconds from now."""
    nvim.exec_lua(
        "local channel, name, quiet = ..."
        " vim.defer_fn(function()"
        "   vim.cmd('redraw!')"
        "   vim.defer_fn(function() vim.rpcnotify(channel, name) end, quiet)"
        " end, quiet)",
        nvim.channel_id,
        DRAWN,
        quiet,
    )
    while (message := nvim.next_message())[1] != DRAWN:
        if message[1] == "redraw":
            grid.apply(message[2])
