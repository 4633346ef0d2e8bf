"""Which sources a prompt mentions, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dsh_lsp.core.mentions import Mention
from dsh_lsp.core.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The mentions of each distinct source, both in text order, and those of the target itself.

    Malformed mentions are in neither: the prompt's own problems tell of them.
    """

    sources: Mapping[str, tuple[Mention, ...]]
    target: tuple[Mention, ...]

    def counting(self, limit: int) -> tuple[tuple[str, tuple[Mention, ...]], ...]:
        """The first `limit` sources, which count, and their mentions."""
        return tuple(self.sources.items())[:limit]

    def surplus(self, limit: int) -> tuple[tuple[str, tuple[Mention, ...]], ...]:
        """The sources beyond the limit, and their mentions."""
        return tuple(self.sources.items())[limit:]


def mentioned(prompt: Prompt, target_id: str | None) -> Mentioned:
    """Sort the well-formed mentions of a prompt by their source."""
    sources: dict[str, list[Mention]] = {}
    target: list[Mention] = []
    for mention in prompt.mentions:
        if mention.session_id is None:
            continue
        if mention.session_id == target_id:
            target.append(mention)
        else:
            sources.setdefault(mention.session_id, []).append(mention)
    return Mentioned({each: tuple(mentions) for each, mentions in sources.items()}, tuple(target))
