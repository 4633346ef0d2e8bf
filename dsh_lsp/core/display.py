"""Showing untrusted text: controls, bidirectional marks and line breaks made visible."""

from __future__ import annotations

import re

_LINE_END = re.compile("\r\n|\n|\r")

_UNSEEN = (
    "\x00-\x1f\x7f-\x9f"  # controls of ASCII and Latin-1
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff"
    "\U000e0000-\U000e007f"  # tags: a whole hidden ASCII alphabet
)
"""Code points that show nothing, move other text about, or break the line."""

_IN_ONE_LINE = re.compile(f"[{_UNSEEN}]")
_IN_LINES = re.compile(f"(?![\t\n])[{_UNSEEN}]")
_BACKTICKS = re.compile("`+")

_KIB = 1024
_UNITS = ("KiB", "MiB", "GiB", "TiB")

_AGES = (("min", 60), ("h", 60), ("d", 24), ("mo", 30), ("y", 12))
"""Each unit of age, and how many of the unit before it make one."""


def one_line(text: str) -> str:
    """A label, id or path for display: line breaks become spaces, controls visible escapes."""
    if text.isprintable():  # which none of these is
        return text
    return _IN_ONE_LINE.sub(_escape, _LINE_END.sub(" ", text))


def visible(text: str) -> str:
    """Several lines for display: LF and TAB stay, other controls become visible escapes.

    A CRLF is one line break and becomes LF.
    """
    return _IN_LINES.sub(_escape, text.replace("\r\n", "\n"))


def fenced(text: str) -> str:
    """`text`, made visible, as a Markdown code block that nothing inside can close."""
    shown = visible(text)
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    # Editors colour a block without a language as if it were the document around it.
    return f"{fence}text\n{shown}\n{fence}"


def byte_size(count: int) -> str:
    """A size for people, such as `41.2 KiB`."""
    if count < _KIB:
        return "1 byte" if count == 1 else f"{count} bytes"
    size = count / _KIB
    for unit in _UNITS[:-1]:
        if round(size, 1) < _KIB:
            return f"{size:.1f} {unit}"
        size /= _KIB
    return f"{size:.1f} {_UNITS[-1]}"


def age(created_at: int, now: int) -> str:
    """How long ago, for people, such as `3 h ago`; both are Unix milliseconds."""
    count = (now - created_at) // 1000
    shown = "just now"
    for unit, size in _AGES:
        count //= size
        if count < 1:
            break
        shown = f"{count} {unit} ago"
    return shown


def _escape(character: re.Match[str]) -> str:
    code = ord(character.group())
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\u{{{code:x}}}"
