"""A grid of cells as an SVG picture of a window, for pages of any background."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from tests.support.grid import Grid, Look

CELL = 8.4
LINE = 19.0
SIZE = 14.0
WIDE = 15.5
"""Size of wide characters, which would stand too far apart in two cells each."""
BASE = 14.0
"""From the top of a line to the feet of its letters."""
EDGE = 14.0
BAR = 34.0
"""Height of the window's title bar."""
FONTS = (
    "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC',"
    " 'PingFang SC', 'Microsoft YaHei', monospace"
)

_LINES = {
    "─": "M0 {y}H{w}",
    "│": "M{x} 0V{h}",
    "╭": "M{x} {h}V{below}Q{x} {y} {right} {y}H{w}",
    "╮": "M{x} {h}V{below}Q{x} {y} {left} {y}H0",
    "╰": "M{x} 0V{above}Q{x} {y} {right} {y}H{w}",
    "└": "M{x} 0V{y}H{w}",
    "╯": "M{x} 0V{above}Q{x} {y} {left} {y}H0",
}
"""Strokes of frames: a font's own would leave gaps between the lines."""
_PLACES = {
    "x": CELL / 2,
    "y": LINE / 2,
    "w": CELL,
    "h": LINE + 0.3,
    "left": CELL / 2 - 4,
    "right": CELL / 2 + 4,
    "above": LINE / 2 - 4,
    "below": LINE / 2 + 4,
}
_BLOCKS = {"█": 1.0, "░": 0.25}
"""Opacity of the blocks that bars are made of."""


@dataclass(frozen=True)
class Run:
    """Neighbouring cells of one row that look the same; `kind` tells how they are drawn."""

    column: int
    text: str
    width: int
    look: Look
    kind: str


_WINDOW = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" \
height="{height}" role="img" aria-label={about}>
<title>{title}</title>
<rect x=".5" y=".5" width="{inner_width}" height="{inner_height}" rx="9" fill="{background}" \
stroke="#808080" stroke-opacity=".45"/>
<circle cx="20" cy="18" r="5.5" fill="#ec6a5e"/>
<circle cx="38" cy="18" r="5.5" fill="#f4bf4f"/>
<circle cx="56" cy="18" r="5.5" fill="#61c554"/>
<text x="{middle}" y="22" text-anchor="middle" font-size="12.5" fill="{foreground}" \
fill-opacity=".6" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif">{title}</text>
<g transform="translate({edge} {bar})" font-size="{size}" font-family="{fonts}" \
xml:space="preserve">
{cells}
</g>
</svg>
"""


def picture(grid: Grid, title: str, about: str) -> str:
    """The window with a title bar; `about` is for those who cannot see it."""
    width = len(grid.cells[0]) * CELL + 2 * EDGE
    height = len(grid.cells) * LINE + BAR + EDGE
    base = grid.look(0)
    cells = [mark for row in range(len(grid.cells)) for mark in _row(grid, row)]
    return _WINDOW.format(
        width=_n(width),
        height=_n(height),
        inner_width=_n(width - 1),
        inner_height=_n(height - 1),
        middle=_n(width / 2),
        edge=_n(EDGE),
        bar=_n(BAR),
        size=_n(SIZE),
        fonts=FONTS,
        background=_colour(base.background),
        foreground=_colour(base.foreground),
        title=escape(title),
        about=quoteattr(about),
        cells="\n".join([*cells, _cursor(grid)]),
    )


def _row(grid: Grid, row: int) -> Iterator[str]:
    runs = list(_runs(grid, row))
    top = row * LINE
    base = grid.look(0).background
    for background, group in groupby(runs, key=lambda run: run.look.background):
        if background != base:
            members = list(group)
            start, last = members[0].column, members[-1]
            size = (last.column + last.width - start) * CELL
            # Half a pixel more, so that no seam shows between neighbours.
            yield (
                f'<rect x="{_n(start * CELL)}" y="{_n(top)}" width="{_n(size)}"'
                f' height="{_n(LINE + 0.5)}" fill="{_colour(background)}"/>'
            )
    for run in runs:
        yield from _DRAW[run.kind](run, top)
        yield from _underlines(run, top)


def _runs(grid: Grid, row: int) -> Iterator[Run]:
    cells = grid.cells[row]
    pieces = []
    for column, (text, number) in enumerate(cells):
        if text:
            width = 2 if column + 1 < len(cells) and cells[column + 1][0] == "" else 1
            pieces.append((column, text, width, grid.look(number)))
    for (look, kind, _), group in groupby(
        pieces, key=lambda piece: (piece[3], _kind(piece[1], piece[2]), piece[2])
    ):
        members = list(group)
        text = "".join(member[1] for member in members)
        yield Run(members[0][0], text, sum(member[2] for member in members), look, kind)


def _kind(text: str, width: int) -> str:
    if text in _LINES:
        return "lines"
    if text in _BLOCKS:
        return "blocks"
    return "wide" if width == 2 else "text"


def _text(run: Run, top: float) -> Iterator[str]:
    for found in re.finditer(r"\S+(?: \S+)*", run.text):
        yield _word(
            run, found.group(), run.column + found.start(), found.end() - found.start(), top
        )


def _wide(run: Run, top: float) -> Iterator[str]:
    start = run.column * CELL + (2 * CELL - WIDE) / 2
    places = " ".join(_n(start + 2 * CELL * place) for place in range(len(run.text)))
    yield (
        f'<text x="{places}" y="{_n(top + BASE)}" font-size="{_n(WIDE)}" xml:lang="zh-Hans"'
        f"{_style(run.look)}>{escape(run.text)}</text>"
    )


def _word(run: Run, text: str, column: int, width: int, top: float) -> str:
    # Whatever font there is, the word takes exactly its cells.
    return (
        f'<text x="{_n(column * CELL)}" y="{_n(top + BASE)}" textLength="{_n(width * CELL)}"'
        f"{_style(run.look)}>{escape(text)}</text>"
    )


def _style(look: Look) -> str:
    style = "".join(
        attribute
        for name, attribute in (
            ("bold", ' font-weight="bold"'),
            ("italic", ' font-style="italic"'),
            ("strikethrough", ' text-decoration="line-through"'),
        )
        if name in look.styles
    )
    return f' fill="{_colour(look.foreground)}"{style}'


def _frame(run: Run, top: float) -> Iterator[str]:
    for column, character, count in _repeats(run):
        # Only horizontal strokes stand side by side without a gap, and become one.
        for place in range(1 if character == "─" else count):
            width = CELL * (count if character == "─" else 1)
            places = {name: _n(value) for name, value in (_PLACES | {"w": width}).items()}
            yield (
                f'<path transform="translate({_n((column + place) * CELL)} {_n(top)})"'
                f' d="{_LINES[character].format(**places)}" fill="none"'
                f' stroke="{_colour(run.look.foreground)}"/>'
            )


def _blocks(run: Run, top: float) -> Iterator[str]:
    for column, character, count in _repeats(run):
        yield (
            f'<rect x="{_n(column * CELL)}" y="{_n(top + 3)}" width="{_n(count * CELL)}"'
            f' height="{_n(LINE - 6)}" fill="{_colour(run.look.foreground)}"'
            f' fill-opacity="{_BLOCKS[character]}"/>'
        )


def _repeats(run: Run) -> Iterator[tuple[int, str, int]]:
    """Column, character and count of each stretch of one character."""
    column = run.column
    for character, group in groupby(run.text):
        count = len(list(group))
        yield column, character, count
        column += count


_DRAW = {"text": _text, "wide": _wide, "lines": _frame, "blocks": _blocks}


def _underlines(run: Run, top: float) -> Iterator[str]:
    start, y = run.column * CELL, top + 16.5
    stroke = f'fill="none" stroke="{_colour(run.look.special)}"'
    if "undercurl" in run.look.styles:
        waves = "q2.1 -2.6 4.2 0t4.2 0" + "t4.2 0" * (2 * run.width - 2)
        yield f'<path d="M{_n(start)} {_n(y)}{waves}" {stroke} stroke-width="1.1"/>'
    elif "underline" in run.look.styles:
        yield f'<path d="M{_n(start)} {_n(y)}h{_n(run.width * CELL)}" {stroke}/>'


def _cursor(grid: Grid) -> str:
    row, column = grid.cursor
    look = grid.look(0)
    width = 2.0 if grid.mode == "insert" else CELL
    opacity = "1" if grid.mode == "insert" else ".5"
    return (
        f'<rect x="{_n(column * CELL)}" y="{_n(row * LINE)}" width="{_n(width)}"'
        f' height="{_n(LINE)}" fill="{_colour(look.foreground)}" fill-opacity="{opacity}"/>'
    )


def _colour(number: int) -> str:
    return f"#{number:06x}"


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
