"""What stands under the cursor: a session, a file, or a problem."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dsh_lsp.core.budget import Budget
from dsh_lsp.core.display import byte_size
from dsh_lsp.core.failures import BudgetExceededError, ReadFailedError
from dsh_lsp.core.mentions import Mention
from dsh_lsp.core.paths import PathMention
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.text import Span
from dsh_lsp.server.checks import read_source
from dsh_lsp.server.front_matter import about_key
from dsh_lsp.server.markdown import brief, code, escaped
from dsh_lsp.server.preview import Preview, as_markdown, as_plain_text
from dsh_lsp.server.scene import Scene, cwd_of

_log = logging.getLogger("dsh_lsp.server")


@dataclass(frozen=True, slots=True)
class Style:
    """How one client shows text: Markdown or plain."""

    code: Callable[[str], str]
    prose: Callable[[str], str]
    preview: Callable[..., str]


MARKDOWN = Style(code, escaped, as_markdown)
PLAIN = Style(brief, brief, as_plain_text)


@dataclass(frozen=True, slots=True)
class Hover:
    """What is shown, and the part of the document that it is about."""

    text: str
    span: Span


async def hover(
    scene: Scene, offset: int, budget: Budget, problems: Sequence[Problem], style: Style
) -> Hover | None:
    """The hover at a code-point offset; `problems` are those of the whole document."""
    prompt = scene.document.prompt
    here = [problem for problem in problems if _holds(problem.span, offset)]
    told = [_problem_text(problem, style) for problem in here]
    mention = next((each for each in prompt.mentions if _holds(each.span, offset)), None)
    path = next((each for each in prompt.paths if _holds(each.span, offset)), None)
    if mention is not None:
        about = await _session_text(scene, mention, budget, style)
        span = mention.span
    elif path is not None:
        about = await _file_text(scene, path, style)
        span = path.span
    elif (key := about_key(scene, offset)) is not None:
        about, span = style.prose(key[0]), key[1]
    elif here:
        about, span = None, here[0].span
    else:
        return None
    parts = [*told, *([about] if about else [])]
    return Hover("\n\n".join(parts), span) if parts else None


async def session_preview(
    scene: Scene, session_id: str, label: str | None, budget: Budget, style: Style
) -> str:
    """One session as a prompt would carry it, or why it cannot be shown."""
    source = await read_source(scene.services.query, session_id)
    if isinstance(source, ReadFailedError):
        return style.prose(source.message)
    named = source.display_title if label is None else label
    snapshot = scene.memory.measurements.measure(source, named, budget.size)
    if isinstance(snapshot, BudgetExceededError):
        return style.prose(snapshot.message)
    return style.preview(Preview(source, snapshot, budget, round(time.time() * 1000)))


def _holds(span: Span, offset: int) -> bool:
    """Whether the cursor touches a span; LSP's hovers come with the position before a character."""
    return span.start <= offset < span.end or span.start == offset == span.end


def _problem_text(problem: Problem, style: Style) -> str:
    text = style.prose(problem.message)
    loud = problem.severity in (Severity.ERROR, Severity.WARNING)
    lines = [f"{problem.severity.value}: {text}" if loud else text]
    lines.extend(f"fix: {style.prose(fix.title)}" for fix in problem.fixes)
    return "\n\n".join(lines)


async def _session_text(scene: Scene, mention: Mention, budget: Budget, style: Style) -> str | None:
    """The session behind a mention; a malformed one is told by its problem."""
    if mention.session_id is None:
        return None
    return await session_preview(scene, mention.session_id, mention.label, budget, style)


async def _file_text(scene: Scene, path: PathMention, style: Style) -> str | None:
    cwd = await cwd_of(scene)
    if cwd is None or not scene.settings.files.enabled:
        return None
    try:
        details = await scene.services.files.details(cwd, path.path)
    except Exception as fault:
        _log.warning("looking up a path failed with %s", type(fault).__name__)
        return None
    if details is None:
        return None
    kind = "directory" if details.is_directory else f"file, {byte_size(details.size)}"
    return f"{style.code(path.path)}: {kind}"
