"""The session that an argument of `dsh-lsp preview` names, if it names one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dsh_lsp.cli.prompt_file import STANDARD_INPUT
from dsh_lsp.core.mentions import scan
from dsh_lsp.core.uri import SCHEME, decode


@dataclass(frozen=True, slots=True)
class NamedSession:
    """A session id, and the label of a mention."""

    session_id: str
    label: str | None = None


def named_session(text: str) -> NamedSession | None:
    """A pasted mention, a URI, or what is no file and so may be an id.

    Raises `InvalidReferenceError` for a malformed URI.
    """
    pasted = text.strip()
    if pasted.startswith(SCHEME):
        return NamedSession(decode(pasted))
    for mention in scan(pasted):
        if mention.span.of(pasted) != pasted:
            break
        return NamedSession(decode(mention.uri), mention.label)
    return None if text == STANDARD_INPUT or _exists(text) else NamedSession(text)


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False
