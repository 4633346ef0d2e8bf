"""One prompt document: front matter, body, mentions and the problems that need no store."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.core.mentions import Mention
from dsh_lsp.core.paths import PathMention
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.text import Span


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The `dsh` key of a document's YAML front matter; a wrong value reads as None.

    `span` covers both `---` lines and their line ends. `session` is a session id (a URI there has
    been decoded), `new_session` says that a session shall be created at the first send.
    """

    span: Span
    session: str | None = None
    session_span: Span | None = None
    new_session: bool = False
    cwd: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A tolerant reading of one document: always a value, with its problems beside it.

    Offsets are code points of the whole `text`. `body_start` is where the part that is sent
    begins. `problems` hold malformed and unclosed mentions and front matter.
    """

    text: str
    front_matter: FrontMatter | None
    body_start: int
    mentions: tuple[Mention, ...]
    paths: tuple[PathMention, ...]
    problems: tuple[Problem, ...]

    @property
    def body(self) -> str:
        """What would be sent: the text behind the front matter."""
        return self.text[self.body_start :]


def parse_prompt(text: str) -> Prompt:
    """Read a prompt document; never raises."""
    raise NotImplementedError
