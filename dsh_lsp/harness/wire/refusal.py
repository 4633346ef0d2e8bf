"""A host's refusal as an error of ours: its code in one form, its words, and what to do."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.display import one_line
from dsh_lsp.harness.wire.errors import (
    GarbageError,
    NoSuchSessionError,
    RefusedError,
    UnclearRefusalError,
)

MAX_WORDS = 400
"""Characters of a host's message that are repeated."""

_MAX_CODE = 80

NOT_FOUND = "not-found"

_KEEPS_NOTHING = {
    *("not-found", "agent-busy", "writer-held", "bad-request", "input-invalid"),
    *("arguments-invalid", "invalid-time-zone", "title-invalid", "conflict", "fork-unavailable"),
    *("queue-item-not-found", "steer-unavailable", "model-unavailable", "migration-required"),
    *("attachment-error", "attachment-invalid", "signature-invalid", "invalid-payload"),
}
"""Kinds after which nothing of the request was kept; of every other, that is not known."""

_HELD_ELSEWHERE = "SessionAlreadyOwnedError"
_CANNOT_OPEN = "resume failed"

_ADVICE = {
    "not-found": "choose another session; this host does not have it",
    "agent-busy": "a subagent's session takes no prompts; choose the session that started it",
    "writer-held": "another harness process works on that session; send there, or stop it first",
    "invalid-time-zone": "give a time zone such as Europe/Berlin, or none",
    "title-invalid": "give a title with at least one visible character",
    "model-unavailable": "choose a model in the harness",
    "migration-required": "open the session once in the harness, so that it is brought up to date",
}


def refusal(error: Any, doing: str) -> RefusedError | GarbageError:
    """The error for the `error` member of a reply; `doing` names the call for people."""
    code = error.get("code") if isinstance(error, dict) else None
    words = error.get("message") if isinstance(error, dict) else None
    if not isinstance(code, str) or not isinstance(words, str):
        return GarbageError(f"{doing}: the host refused without a code; its answer was not usable")
    words = one_line(words[:MAX_WORDS])
    kind = _kind(code, words)
    advice = f". {_ADVICE[kind][0].upper()}{_ADVICE[kind][1:]}" if kind in _ADVICE else ""
    message = f"{doing}: the host refused ({one_line(code[:_MAX_CODE])}): {words}{advice}"
    make: type[RefusedError] = UnclearRefusalError
    if kind == NOT_FOUND:
        make = NoSuchSessionError
    elif kind in _KEEPS_NOTHING or words.startswith(_CANNOT_OPEN):
        make = RefusedError
    return make(message, kind=kind, code=code[:_MAX_CODE], words=words)


def _kind(code: str, words: str) -> str:
    """`session-not-found`, `session/not-found` and so on as one word."""
    if _HELD_ELSEWHERE in words:  # 0.1.5 has no code of its own for it
        return "writer-held"
    kind = code.removeprefix("session/").removeprefix("session-")
    return kind.removeprefix("gateway/")
