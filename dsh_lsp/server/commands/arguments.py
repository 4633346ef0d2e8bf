"""The one argument of a command: an object of untrusted shape (docs/commands.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.text import Place, Position
from dsh_lsp.harness.port import Mode
from dsh_lsp.server.failures import ArgumentError
from dsh_lsp.server.target import Choice, read_choice

_MAX_INTEGER = 2**31 - 1


class Purpose(StrEnum):
    """What sessions are looked for."""

    MENTION = "mention"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a command was asked. `limit` None stands for the setting."""

    uri: str | None = None
    version: int | None = None
    place: Place | None = None
    target: Choice | None = None
    mode: Mode | None = None
    query: str = ""
    limit: int | None = None
    cwd: str | None = None
    link: str | None = None
    resend: str | None = None
    discard: str | None = None
    keep: bool = False
    purpose: Purpose = Purpose.MENTION


def read_arguments(values: Sequence[object] | None) -> Arguments:
    """The arguments of `workspace/executeCommand`. Raises `ArgumentError`."""
    if not values:
        return Arguments()
    if len(values) != 1 or not isinstance(values[0], dict):
        raise ArgumentError("expects one argument, an object such as {uri, version, range}")
    given: dict[str, Any] = {key: value for key, value in values[0].items() if value is not None}
    readers: dict[str, Callable[[str, object], Any]] = {
        "uri": _string,
        "version": _whole,
        "range": _range,
        "target": _target,
        "mode": _mode,
        "for": _purpose,
        "query": _string,
        "limit": _positive,
        "cwd": _string,
        "link": _string,
        "resend": _string,
        "discard": _string,
        "keep": _switch,
    }
    unknown = sorted(given.keys() - readers.keys())
    if unknown:
        known = ", ".join(readers)
        raise ArgumentError(f"does not know the member {unknown[0]!r:.100}; known are {known}")
    read = {key: readers[key](key, value) for key, value in given.items()}
    for key, name in (("range", "place"), ("for", "purpose")):
        if key in read:
            read[name] = read.pop(key)
    return Arguments(**read)


def _string(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"expects {key} to be a string")
    return value


def _switch(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ArgumentError(f"expects {key} to be true or false")
    return value


def _whole(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MAX_INTEGER:
        raise ArgumentError(f"expects {key} to be a whole number")
    return value


def _positive(key: str, value: object) -> int:
    number = _whole(key, value)
    if number < 1:
        raise ArgumentError(f"expects {key} to be at least 1")
    return number


def _range(key: str, value: object) -> Place:
    ends = value if isinstance(value, dict) else {}
    return _position(f"{key}.start", ends.get("start")), _position(f"{key}.end", ends.get("end"))


def _position(key: str, value: object) -> Position:
    if not isinstance(value, dict):
        raise ArgumentError(f"expects {key} to be a position {{line, character}}")
    line, character = (_whole(f"{key}.{name}", value.get(name)) for name in ("line", "character"))
    if line < 0 or character < 0:
        raise ArgumentError(f"expects {key} not to be negative")
    return line, character


def _target(key: str, value: object) -> Choice:
    try:
        return read_choice(_string(key, value))
    except InvalidReferenceError as fault:
        wanted = "a session id, its URI or `new`"
        raise ArgumentError(f"expects {key} to be {wanted}: {fault}") from None


def _mode(key: str, value: object) -> Mode:
    try:
        return Mode(_string(key, value))
    except ValueError:
        raise ArgumentError(f"expects {key} to be `queue` or `steer`") from None


def _purpose(key: str, value: object) -> Purpose:
    try:
        return Purpose(_string(key, value))
    except ValueError:
        raise ArgumentError(f"expects {key} to be `mention` or `target`") from None
