"""Checks of where a prompt goes, and whether there is anything to send."""

from __future__ import annotations

from dsh_lsp.core.display import one_line
from dsh_lsp.core.front_matter import NEW_SESSION
from dsh_lsp.core.problem import Edit, Problem, Rewrite, Severity
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.slash import leading_command
from dsh_lsp.core.text import Span

_NOWHERE = Span(0, 0)


def unknown_target(prompt: Prompt, place: str) -> Problem:
    """The target is not in `place`, where it would have to be. No error: it may appear there."""
    front_matter = prompt.front_matter
    span = front_matter.session_span if front_matter else None
    fixes = () if span is None else (Rewrite("Change to `new`", (Edit(span, NEW_SESSION),)),)
    return Problem(
        "unknown-target",
        Severity.WARNING,
        _NOWHERE if span is None else span,
        f"The session that this prompt goes to is not in {one_line(place)}. Choose another one, or "
        f"write `{NEW_SESSION}` to have one created.",
        fixes,
    )


def cwd_not_found(prompt: Prompt, severity: Severity) -> Problem:
    """The front matter names a folder for the new session that does not exist."""
    front_matter = prompt.front_matter
    spans = (
        (each.value_span for each in front_matter.members if each.key == "cwd")
        if front_matter
        else ()
    )
    return Problem(
        "cwd-not-found",
        severity,
        next(iter(spans), _NOWHERE),
        "There is no such folder on this machine: correct the path, or leave `cwd` out.",
    )


def slash_command(prompt: Prompt) -> Problem | None:
    """The prompt begins with a command, so that sending it to a running harness is refused."""
    command = leading_command(prompt.text, prompt.body_start)
    if command is None:
        return None
    return Problem(
        "slash-command",
        Severity.WARNING,
        command,
        f"A prompt that begins with a command such as {command.of(prompt.text)} is not sent, since "
        "the harness would pass it to the model as text. Run commands in the harness itself; to "
        "send it as text, write a word before it.",
    )


def empty_prompt(prompt: Prompt) -> Problem | None:
    """There is nothing to send. Every prompt begins like that, so only a finished one is told."""
    if prompt.body.strip():
        return None
    end = len(prompt.text)
    return Problem(
        "empty-prompt",
        Severity.INFORMATION,
        Span(end, end),
        "There is nothing to send: the prompt has no text.",
    )
