"""Lines and columns once more, by walking through the text character by character."""

from __future__ import annotations

from dsh_lsp.core.text import Unit


def width(character: str, unit: Unit) -> int:
    """Code units of one code point; half a surrogate pair is as wide as its place holder."""
    code = ord(character)
    if unit is Unit.UTF8:
        return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
    return 2 if unit is Unit.UTF16 and code > 0xFFFF else 1


def lines(text: str) -> list[tuple[int, int]]:
    """Where each line starts, and where it ends without its line end."""
    found, start, place = [], 0, 0
    while place < len(text):
        size = 2 if text[place : place + 2] == "\r\n" else 1 if text[place] in "\r\n" else 0
        if size:
            found.append((start, place))
            start = place + size
        place += size or 1
    return [*found, (start, len(text))]


def position(text: str, offset: int, unit: Unit) -> tuple[int, int]:
    """Line and column of an offset."""
    offset = max(0, min(offset, len(text)))
    all_lines = lines(text)
    line = max(number for number, (start, _) in enumerate(all_lines) if start <= offset)
    start, end = all_lines[line]
    return line, sum(width(character, unit) for character in text[start : min(offset, end)])


def offset(text: str, line: int, column: int, unit: Unit) -> int:
    """Offset of a line and column."""
    all_lines = lines(text)
    if line >= len(all_lines):
        return len(text)
    start, end = all_lines[line]
    for place in range(start, end):
        column -= width(text[place], unit)
        if column < 0:
            return place
    return end
