"""A text buffer as an editor has it: positions in UTF-16 units, edits applied as LSP says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dsh_lsp.core.text import LineIndex, Unit

Json = Mapping[str, Any]


class Buffer:
    """One open document."""

    def __init__(self, uri: str, text: str) -> None:
        self.uri = uri
        self.text = text
        self.version = 1

    @property
    def identifier(self) -> dict[str, str]:
        """How requests name the document."""
        return {"uri": self.uri}

    def position(self, offset: int) -> dict[str, int]:
        """A code-point offset as an LSP position."""
        line, column = LineIndex(self.text).position(offset, Unit.UTF16)
        return {"line": line, "character": column}

    def offset(self, position: Json) -> int:
        """An LSP position as a code-point offset."""
        return LineIndex(self.text).offset(position["line"], position["character"], Unit.UTF16)

    def span(self, place: Json) -> tuple[int, int]:
        """An LSP range as code-point offsets."""
        return self.offset(place["start"]), self.offset(place["end"])

    def applied(self, edits: Sequence[Json]) -> str:
        """The text after edits, which all count in the present text; from the last to the first."""
        text = self.text
        places = sorted((*self.span(edit["range"]), edit["newText"]) for edit in edits)
        for start, end, new in reversed(places):
            text = text[:start] + new + text[end:]
        return text
