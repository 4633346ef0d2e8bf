"""The members of the `dsh` key of YAML front matter, with exact spans."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from dsh_lsp.core.display import one_line
from dsh_lsp.core.front_matter_block import Block
from dsh_lsp.core.text import Span

_REST_OF_LINE = re.compile("[^\r\n]*")

_KEY = "dsh"
_NULL = "tag:yaml.org,2002:null"


@dataclass(frozen=True, slots=True)
class Member:
    """One key below `dsh` as written; `value` is None for a missing value, an alias and no scalar.

    `value_span` is empty, behind the key's colon, where nothing was written. Of a value of several
    lines it is the first one, and `whole` says that there are no others.
    """

    key: str
    key_span: Span
    value: str | None
    value_span: Span
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the `dsh` key cannot be read, for people, and where."""

    message: str
    span: Span


def dsh_members(text: str, block: Block) -> tuple[Member, ...] | Fault | None:
    """The members of the `dsh` key in document order, or None if there is no such key."""
    content, start = block.content.of(text), block.content.start
    try:
        # Nodes are only looked at, never built into values, so an alias costs nothing.
        root = yaml.compose(content, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = one_line(error.problem or error.context or "it cannot be read")
        place = _first_line(text, start + mark.index if mark else start, block.content.end)
        return Fault(
            f"This is not YAML: {reason}.", place if place.end > place.start else block.opening
        )
    except yaml.reader.ReaderError as error:
        return Fault(
            "This character is not allowed in YAML: write it as an escape in double quotes.",
            Span(start + error.position, start + error.position + 1),
        )
    except (RecursionError, ValueError, OverflowError):
        # PyYAML passes on what Python says to an impossible escape or to endless nesting.
        return Fault("This front matter cannot be read: simplify it.", block.opening)
    return _Nodes(text, start).members_of(root)


class _Nodes:
    """Reads the nodes of front matter whose content begins at `start` of `text`."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._start = start

    def members_of(self, root: yaml.Node | None) -> tuple[Member, ...] | Fault | None:
        if not isinstance(root, yaml.MappingNode):
            return None
        found = [(key, value) for key, value in root.value if key.value == _KEY]
        if not found:
            return None
        if len(found) > 1:
            return Fault(f"`{_KEY}` is given twice: keep one.", self._span(found[1][0]))
        key, value = found[0]
        if isinstance(value, yaml.MappingNode):
            return tuple(self._member(*pair) for pair in value.value)
        if value.tag == _NULL:
            return ()
        return Fault(f"`{_KEY}` must hold keys, each on a line of its own below.", self._span(key))

    def _member(self, key: yaml.Node, value: yaml.Node) -> Member:
        key_span, value_span = self._span(key), self._span(value)
        name = key.value if isinstance(key, yaml.ScalarNode) else key_span.of(self._text)
        if value_span.start < key_span.end:
            # An alias: its node lies where the anchor is, so nothing here could be pointed at.
            return Member(name, key_span, None, Span(key_span.end, key_span.end))
        has_text = isinstance(value, yaml.ScalarNode) and value.tag != _NULL and value.value
        whole = value_span.end == self._start + value.end_mark.index
        return Member(name, key_span, value.value if has_text else None, value_span, whole)

    def _span(self, node: yaml.Node) -> Span:
        begin, end = self._start + node.start_mark.index, self._start + node.end_mark.index
        return _first_line(self._text, begin, end)


def _first_line(text: str, begin: int, end: int) -> Span:
    line = _REST_OF_LINE.match(text, begin, end)
    return Span(begin, line.end() if line else end)
