"""What a mock model does for one request: a list of actions, written in code or in a prompt.

In a prompt, each line that begins with `!` and one of these words is an action:

    !say TEXT            say TEXT; a TEXT that is a JSON string is taken as one
    !long BYTES          say that many bytes
    !slow COUNT MS       say COUNT words with a pause of MS milliseconds before each
    !think TEXT          reasoning
    !call NAME JSON      call a tool with these arguments
    !hold NAME           wait until the test calls `model.release(NAME)`
    !refuse STATUS       answer with this HTTP status, before anything else
    !cut                 close the connection without an end
    !hang                say nothing any more

Actions in the snapshot of a cited conversation are not done again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Say:
    """Visible text, streamed in `pieces` with `pause` seconds before each."""

    text: str
    pieces: int = 1
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class Think:
    """Reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait until the test releases this name."""

    name: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """An HTTP error in place of an answer."""

    status: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing comes any more, and the connection stays."""


Action: TypeAlias = Say | Think | Call | Hold | Refuse | Cut | Hang


def long_text(size: int) -> str:
    """Text of exactly `size` bytes, of which no two places look the same."""
    words: list[str] = []
    length = 0
    while length < size:
        words.append(f"word{len(words)}\n" if len(words) % 12 == 11 else f"word{len(words)} ")
        length += len(words[-1])
    return "".join(words)[:size]


def actions_in(texts: Iterable[str]) -> list[Action]:
    """The actions that the lines of a prompt ask for."""
    lines = (line for text in texts for line in text.split("\n"))
    return [action for line in lines if (action := _action(line)) is not None]


def _action(line: str) -> Action | None:
    word, _, rest = line.strip().partition(" ")
    read = _WORDS.get(word)
    return read(rest) if read is not None else None


def _say(rest: str) -> Action:
    return Say(json.loads(rest) if rest.startswith('"') else rest)


def _slow(rest: str) -> Action:
    count, milliseconds = map(int, rest.split())
    text = "".join(f"word{number} " for number in range(count))
    return Say(text, pieces=count, pause=milliseconds / 1000)


def _call(rest: str) -> Action:
    name, _, arguments = rest.partition(" ")
    return Call(name, json.loads(arguments or "{}"))


_WORDS: Mapping[str, Callable[[str], Action]] = {
    "!say": _say,
    "!long": lambda rest: Say(long_text(int(rest)), pieces=8),
    "!slow": _slow,
    "!think": Think,
    "!call": _call,
    "!hold": Hold,
    "!refuse": lambda rest: Refuse(int(rest)),
    "!cut": lambda rest: Cut(),
    "!hang": lambda rest: Hang(),
}
