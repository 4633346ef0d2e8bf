"""One prompt document: front matter, body, mentions and the problems that need no store."""

from __future__ import annotations

from dataclasses import dataclass, field

from dsh_lsp.core.front_matter import FrontMatter, read_front_matter
from dsh_lsp.core.mention_problems import malformed_mentions, unclosed_mentions
from dsh_lsp.core.mentions import Mention, Scan, Unclosed, scan_from
from dsh_lsp.core.paths import PathMention, scan_paths_from
from dsh_lsp.core.problem import Problem, in_document_order
from dsh_lsp.core.rescan import scan_again

__all__ = ["FrontMatter", "Prompt", "parse_prompt"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A tolerant reading of one document: always a value, with its problems beside it.

    Offsets are code points of the whole `text`. `body_start` is where the part that is sent
    begins. `problems` hold malformed and unclosed mentions and front matter, in document order.
    `scan` is where the next version goes on from.
    """

    text: str
    front_matter: FrontMatter | None
    body_start: int
    mentions: tuple[Mention, ...]
    paths: tuple[PathMention, ...]
    problems: tuple[Problem, ...]
    unclosed: tuple[Unclosed, ...] = ()
    scan: Scan = field(default=Scan((), ()), compare=False, repr=False)

    @property
    def body(self) -> str:
        """What would be sent: the text behind the front matter."""
        return self.text[self.body_start :]


def parse_prompt(text: str, earlier: Prompt | None = None) -> Prompt:
    """Read a prompt document; never raises.

    With an `earlier` version of the document only what changed is scanned for mentions.
    """
    front = read_front_matter(text)
    start = front.body_start
    if earlier is None:
        found = scan_from(text, start)
    else:
        found = scan_again(text, start, earlier.scan, earlier.text, earlier.body_start)
    problems = [
        *front.problems,
        *malformed_mentions(found.mentions),
        *unclosed_mentions(text, found.unclosed),
    ]
    return Prompt(
        text=text,
        front_matter=front.front_matter,
        body_start=start,
        mentions=found.mentions,
        paths=scan_paths_from(text, start, found.mentions),
        problems=in_document_order(problems),
        unclosed=found.unclosed,
        scan=found,
    )
