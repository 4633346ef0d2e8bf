"""The check of `@path` mentions that name nothing."""

from __future__ import annotations

from collections.abc import Iterator

from dsh_lsp.core.display import one_line
from dsh_lsp.core.names import short_name
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.prompt import Prompt


def paths_to_look_up(prompt: Prompt, limit: int) -> tuple[str, ...]:
    """The first paths that must exist, in order, without repeats."""
    distinct = {(mention.path, mention.quoted): mention for mention in prompt.paths}.values()
    found: dict[str, None] = {}
    for mention in distinct:
        if len(found) == limit:
            break
        if mention.file_like:
            found[mention.path] = None
    return tuple(found)


def missing_files(prompt: Prompt, missing: frozenset[str], folder: str) -> Iterator[Problem]:
    """Each mention of a path in `missing`, which was looked for below `folder`."""
    for mention in prompt.paths if missing else ():
        if mention.file_like and mention.path in missing:
            yield Problem(
                "file-not-found",
                Severity.HINT,
                mention.span,
                f"There is no {short_name(mention.path)} in {one_line(folder)}, where the paths of "
                "this prompt begin.",
            )
