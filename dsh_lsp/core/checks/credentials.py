"""Noticing text that looks like a live secret, without ever repeating it (docs/diagnostics.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    pattern: re.Pattern[str]


def _kind(name: str, pattern: str) -> _Kind:
    # ASCII borders, since in Chinese text a token may follow a character without any space.
    return _Kind(name, re.compile(pattern, re.ASCII))


_VALUE = r"[^\s\"'`<>(){}\[\],;$*]"

# Every repeat is bounded, so that the time grows with the text and never faster. Borders keep
# quiet about longer words that happen to hold a token.
_KINDS = (
    _kind("a private key", r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    _kind("an AWS access key id", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    _kind("a GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})"),
    _kind("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20}"),
    _kind("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{20}"),
    _kind("a Google API key", r"\bAIza[A-Za-z0-9_-]{35}"),
    _kind(
        "an API key",
        r"\bsk-(?:[0-9a-f]{32}\b"
        r"|(?=[A-Za-z0-9_-]{0,64}[A-Z])(?=[A-Za-z0-9_-]{0,64}[0-9])[A-Za-z0-9_-]{20})",
    ),
    _kind(
        "a password or secret",
        r"(?i:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)"
        r"[\"'`]?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?"
        r"(?!(?i:your|my|example|xxx|changeme|dummy|placeholder))"
        # A letter and a digit, and no bracket behind: neither a type nor a call nor a variable.
        rf"(?={_VALUE}{{0,64}}[0-9])(?={_VALUE}{{0,64}}[A-Za-z])"
        rf"{_VALUE}{{8,64}}+(?![<>(){{}}\[\]$*])",
    ),
)


def find_credential(texts: Iterable[str]) -> str | None:
    """What kind of live secret the texts seem to hold, such as `a GitHub token`; None for none.

    A guess that is kept careful: it overlooks rather than cries wolf.
    """
    return next((kind.name for text in texts for kind in _KINDS if kind.pattern.search(text)), None)
