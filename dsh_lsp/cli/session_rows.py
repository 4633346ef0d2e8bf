"""Sessions for people: a table where there is room for it, else two lines each."""

from __future__ import annotations

from collections.abc import Container, Sequence

from dsh_lsp.cli.report_human import Style
from dsh_lsp.cli.width import width
from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.display import age, one_line

LONGEST = 200
"""Characters shown of one cell."""

HEADINGS = ("title", "directory", "age", "session")

UNREADABLE = "(its log cannot be read)"

_GAP = "  "


def session_rows(
    found: Sequence[Candidate],
    now: int,
    columns: int | None,
    style: Style,
    unreadable: Container[str] = (),
) -> str:
    """All sessions; `columns` is None where no terminal has an edge. `now` is Unix milliseconds.

    `unreadable` holds the ids of sessions whose log cannot be read.
    """
    cells = [_cells(each, now, each.session_id not in unreadable) for each in found]
    widths = [max(map(width, column)) for column in zip(HEADINGS, *cells, strict=True)]
    if columns is None or sum(widths) + len(_GAP) * (len(widths) - 1) <= columns:
        return _table(cells, widths, style)
    return _list(cells, style)


def _cells(candidate: Candidate, now: int, readable: bool) -> tuple[str, ...]:
    texts = (candidate.display_title, candidate.cwd or "-", candidate.session_id)
    title, directory, session_id = (one_line(text[:LONGEST]) for text in texts)
    title = title if readable else f"{title} {UNREADABLE}"
    return title, directory, age(candidate.created_at, now), session_id


def _table(cells: Sequence[tuple[str, ...]], widths: Sequence[int], style: Style) -> str:
    lines = [style.paint(_line(HEADINGS, widths), "1")]
    lines += [_line(row, widths) for row in cells]
    return "".join(f"{line}\n" for line in lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (room - width(cell)) for cell, room in zip(row, widths, strict=True))
    return _GAP.join(padded).rstrip()


def _list(cells: Sequence[tuple[str, ...]], style: Style) -> str:
    return "".join(
        f"{style.paint(title, '1')}\n{_GAP}{session_id}\n"
        f"{style.paint(f'{_GAP}{directory}, {when}', '2')}\n"
        for title, directory, when, session_id in cells
    )
