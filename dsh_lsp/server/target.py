"""The session that a prompt goes to, and who said so. It is never guessed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.front_matter import NEW_SESSION, FrontMatter
from dsh_lsp.core.uri import SCHEME, decode


class Source(StrEnum):
    """Who named the target, first come first served."""

    ARGUMENT = "argument"
    FRONT_MATTER = "front-matter"
    CHOICE = "choice"
    SETTING = "setting"


@dataclass(frozen=True, slots=True)
class Choice:
    """A named target. Without a session id it is a new session, created at the first send."""

    session_id: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """The target of one prompt.

    `new` says that a session must be created first. `created` says that this session came from
    such a wish. Without a `source` nobody has named a target.
    """

    session_id: str | None = None
    new: bool = False
    created: bool = False
    source: Source | None = None


def read_choice(text: str) -> Choice:
    """A target as people write it: `new`, a session id or its URI.

    Raises `InvalidReferenceError` for a malformed URI and for nothing at all.
    """
    if text == NEW_SESSION:
        return Choice(None)
    if text.startswith(SCHEME):
        return Choice(decode(text))
    if not text.strip():
        raise InvalidReferenceError("The target is empty; give a session id, its URI or `new`.")
    return Choice(text)


def decide(
    *,
    argument: Choice | None,
    front_matter: FrontMatter | None,
    chosen: Choice | None,
    setting: Choice | None,
    created: str | None,
) -> Decision:
    """The first target that was named. `created` is the session made for this document before."""
    named = (
        (Source.ARGUMENT, argument),
        (Source.FRONT_MATTER, _front_matter_choice(front_matter)),
        (Source.CHOICE, chosen),
        (Source.SETTING, setting),
    )
    for source, choice in named:
        if choice is None:
            continue
        if choice.session_id is not None:
            return Decision(choice.session_id, source=source)
        if created is not None:
            return Decision(created, created=True, source=source)
        return Decision(new=True, source=source)
    return Decision()


def _front_matter_choice(front_matter: FrontMatter | None) -> Choice | None:
    if front_matter is None:
        return None
    if front_matter.new_session:
        return Choice(None)
    return None if front_matter.session is None else Choice(front_matter.session)
