"""The check of `@path` mentions that name nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dsh_lsp.core.names import short_name
from dsh_lsp.core.paths import PathMention
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span

_PUNCTUATION = ".,;:!?)]}>'\"，。；：！？、）】》」』”’…"
_EXTENSION = re.compile(r"[^.]\.[A-Za-z][A-Za-z0-9]{0,9}\Z")


def paths_to_look_up(prompt: Prompt) -> tuple[str, ...]:
    """The paths that must exist, in order, without repeats."""
    return tuple(dict.fromkeys(path for mention in prompt.paths if (path := file_like(mention))))


def file_like(mention: PathMention) -> str | None:
    """The path that a mention must mean; None for one that may be a handle or a decorator.

    Unquoted, punctuation at the end belongs to the sentence.
    """
    if mention.quoted:
        return mention.path
    path = mention.path.rstrip(_PUNCTUATION)
    return path if "/" in path or _EXTENSION.search(path) else None


def missing_files(prompt: Prompt, missing: frozenset[str]) -> Iterator[Problem]:
    """Each mention of a path in `missing`."""
    if not missing:
        return
    for mention in prompt.paths:
        path = file_like(mention)
        if path is not None and path in missing:
            punctuation = 0 if mention.quoted else len(mention.path) - len(path)
            yield Problem(
                "file-not-found",
                Severity.HINT,
                Span(mention.span.start, mention.span.end - punctuation),
                f"There is no {short_name(path)} under the target's folder, or under the "
                "workspace folder while no target is chosen.",
            )
