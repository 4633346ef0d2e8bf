"""The pictures of the documentation, and the writer that they are made with."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.support.grid import Grid
from tests.support.grid_svg import CELL, LINE, picture

DOCS = Path(__file__).parents[1] / "docs"
PICTURES = sorted((DOCS / "pictures").glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
PRIVATE = re.compile(r"/home/|/root\b|/Users/|/work/|" + re.escape(str(Path.home())))


def drawn(*lines: list[list[object]], mode: str = "normal") -> Grid:
    """A grid of 12 columns after Neovim has drawn these lines of cells on it."""
    grid = Grid()
    grid.apply(
        [
            ["grid_resize", [1, 12, len(lines)]],
            ["default_colors_set", [0xEEEEEE, 0x111111, 0xFF0000, 0, 0]],
            ["hl_attr_define", [1, {"background": 0x333333, "bold": True}, {}, []]],
            ["hl_attr_define", [2, {"underline": True, "special": 0xFF8800}, {}, []]],
            ["hl_attr_define", [3, {"reverse": True}, {}, []]],
            ["grid_line", *([1, row, 0, cells, False] for row, cells in enumerate(lines))],
            ["mode_change", [mode, 0]],
            ["grid_cursor_goto", [1, 0, 2]],
            ["flush", []],
        ]
    )
    return grid


def parsed(grid: Grid) -> Xml.Element:
    return Xml.fromstring(picture(grid, "a < b", 'say "@"'))


def marks(grid: Grid, tag: str) -> list[Xml.Element]:
    group = parsed(grid).find(f"{SVG}g")
    assert group is not None
    return group.findall(f"{SVG}{tag}")


def rows(grid: Grid) -> list[str]:
    return ["".join(text for text, _ in row).rstrip() for row in grid.cells]


def test_a_picture_tells_what_it_shows() -> None:
    whole = parsed(drawn([["x", 0]]))

    assert whole.get("aria-label") == 'say "@"'
    assert whole.findtext(f"{SVG}title") == "a < b"


def test_words_and_wide_characters_stand_in_their_cells() -> None:
    wide, word = marks(drawn([["表", 0], [""], ["格"], [""], [" "], ["<"], ["b"]]), "text")

    assert (wide.text, word.text) == ("表格", "<b")
    first, second = (float(place) for place in str(wide.get("x")).split())
    assert 0 < first < CELL
    assert second - first == pytest.approx(2 * CELL)
    assert float(str(word.get("x"))) == pytest.approx(5 * CELL)
    assert float(str(word.get("textLength"))) == pytest.approx(2 * CELL)


def test_looks_are_drawn() -> None:
    grid = drawn([["a", 1], ["b", 2, 2], ["c", 3]])

    assert [(text.text, text.get("font-weight")) for text in marks(grid, "text")] == [
        ("a", "bold"),
        ("bb", None),
        ("c", None),
    ]
    fills = [box.get("fill") for box in marks(grid, "rect")]
    assert fills == ["#333333", "#eeeeee", "#eeeeee"]  # the last is the cursor
    assert [line.get("stroke") for line in marks(grid, "path")] == ["#ff8800"]


def test_the_cursor_is_a_bar_while_typing() -> None:
    (cursor,) = marks(drawn([["x", 0]], mode="insert"), "rect")

    assert float(str(cursor.get("x"))) == pytest.approx(2 * CELL)
    assert float(str(cursor.get("width"))) < CELL


def test_bars_and_frames_are_shapes() -> None:
    grid = drawn([["█", 0, 3], ["░"]], [["─", 0, 5], ["╮"]])

    bar, rest, _cursor = marks(grid, "rect")
    assert (bar.get("width"), rest.get("width")) == (f"{3 * CELL:g}", f"{CELL:g}")
    assert len(marks(grid, "path")) == 2
    assert not marks(grid, "text")


def test_scrolling_moves_rows_both_ways() -> None:
    grid = drawn([["a", 0]], [["b", 0]], [["c", 0]])

    grid.apply([["grid_scroll", [1, 0, 3, 0, 12, 1, 0]]])
    assert rows(grid) == ["b", "c", "c"]
    grid.apply([["grid_scroll", [1, 1, 3, 0, 12, -1, 0]]])
    assert rows(grid) == ["b", "c", "c"]
    grid.apply([["grid_scroll", [1, 0, 3, 0, 12, -1, 0]]])
    assert rows(grid) == ["b", "b", "c"]


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_is_small_and_private(path: Path) -> None:
    text = path.read_text("utf-8")
    whole = Xml.fromstring(text)

    assert len(text.encode()) < 200_000
    assert len(str(whole.get("aria-label"))) > 40
    assert not PRIVATE.search(text)
    assert float(str(whole.get("height"))) > 5 * LINE


def test_pages_show_pictures_that_are_there() -> None:
    pages = [DOCS.parent / "README.md", *DOCS.rglob("*.md")]
    shown = {
        (page.parent / target).resolve()
        for page in pages
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+\.svg)\)", page.read_text("utf-8"))
    }

    assert shown == set(PICTURES)
