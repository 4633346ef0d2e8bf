"""One call of a command: what it works on, what it was asked, and whom it tells its steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span
from dsh_lsp.harness.port import Mode
from dsh_lsp.server.commands.arguments import Arguments
from dsh_lsp.server.documents import Document
from dsh_lsp.server.failures import ArgumentError
from dsh_lsp.server.part import part_of
from dsh_lsp.server.scene import Scene
from dsh_lsp.server.state import State


@dataclass(frozen=True, slots=True)
class Call:
    """What the functions of this package get. `report` takes a step, for people."""

    state: State
    arguments: Arguments
    report: Callable[[str], Awaitable[None]]

    def document(self) -> Document:
        """The document that the call is about."""
        if self.arguments.uri is None:
            raise ArgumentError("expects uri, the document that it is about")
        return self.state.document(self.arguments.uri)

    def part(self, document: Document) -> Prompt:
        """The part of a document that the call is about."""
        if self.arguments.place is None:
            return document.prompt
        unit = self.state.client.unit
        start, end = (document.lines.offset(*position, unit) for position in self.arguments.place)
        return part_of(document.prompt, Span(start, max(start, end)))

    def mode(self, scene: Scene) -> Mode:
        """How the prompt enters its session."""
        front_matter = scene.document.prompt.front_matter
        written = front_matter.mode if front_matter else None
        if self.arguments.mode is not None:
            return self.arguments.mode
        return Mode(written) if written else scene.settings.send.mode
