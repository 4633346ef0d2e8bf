"""The kinds of values that settings may have: what each expects, and how it is read strictly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol
from urllib.parse import urlsplit

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.uri import SCHEME, decode

MAX_TEXT = 4096
"""Characters of one text setting."""

MAX_PATTERNS = 1000
"""Entries of one list setting."""

LARGEST_NUMBER = 2**53 - 1
"""Beyond it a JSON number does not name one integer for every editor."""


class Kind(Protocol):
    """One kind of value. `expected` is for people, in messages and in docs/settings.md."""

    @property
    def expected(self) -> str:
        """What would be right."""
        ...

    def read(self, value: Any) -> Any:
        """The value as a setting. Raises ValueError; its message, if any, adds the reason."""
        ...


@dataclass(frozen=True, slots=True)
class YesNo:
    """A JSON boolean; the texts "true" and "false" are not booleans."""

    expected: str = "true or false"

    def read(self, value: Any) -> bool:
        """The boolean itself."""
        if not isinstance(value, bool):
            raise ValueError  # noqa: TRY004 - one error type for every wrong value
        return value


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A JSON number without a fraction, from `low` to `high`."""

    low: int
    high: int = LARGEST_NUMBER

    @property
    def expected(self) -> str:
        """The range, without an upper end that no user would reach."""
        if self.high == LARGEST_NUMBER:
            return f"a whole number, {self.low} or more"
        return f"a whole number from {self.low} to {self.high}"

    def read(self, value: Any) -> int:
        """An int; `3.0` is the number 3 for editors whose language has only floats."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError  # noqa: TRY004
        if not self.low <= value <= self.high:
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class HostOr:
    """The word `host`, or what `other` reads."""

    other: Kind

    @property
    def expected(self) -> str:
        """Both ways."""
        return f'"host" or {self.other.expected}'

    def read(self, value: Any) -> Any:
        """The word, or the other's value."""
        return value if value == "host" else self.other.read(value)


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of the words of an enumeration."""

    words: type[StrEnum]

    @property
    def expected(self) -> str:
        """All words."""
        *first, last = (f'"{word.value}"' for word in self.words)
        return f"{', '.join(first)} or {last}"

    def read(self, value: Any) -> StrEnum:
        """The member."""
        if not isinstance(value, str):
            raise ValueError  # noqa: TRY004
        try:
            return self.words(value)
        except ValueError:
            raise ValueError from None


@dataclass(frozen=True, slots=True)
class Folder:
    """An absolute path; `~` stands for the user's home."""

    expected: str = "an absolute path"

    def read(self, value: Any) -> str:
        """The path with `~` expanded."""
        path = os.path.expanduser(read_text(value))  # noqa: PTH111 - a str, kept as it was typed
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            raise ValueError("it holds half of a character, which no path can hold") from None
        if not os.path.isabs(path):  # noqa: PTH117
            raise ValueError(
                "a relative path would depend on where the editor was started; "
                "write it from / or with ~ for your home"
            )
        return path


@dataclass(frozen=True, slots=True)
class HostUrl:
    """The address of a harness: scheme, host and port, nothing more."""

    expected: str = "a URL such as http://127.0.0.1:3080"

    def read(self, value: Any) -> str:
        """The URL without a slash at its end."""
        url = read_text(value)
        if " " in url:
            raise ValueError("it holds a space")
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            raise ValueError("the port is not a number from 1 to 65535") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            raise ValueError
        if "@" in parts.netloc:
            raise ValueError("leave out the user and password")
        if parts.path not in ("", "/") or parts.query or parts.fragment:
            raise ValueError("leave out everything behind the port")
        return url.rstrip("/")


@dataclass(frozen=True, slots=True)
class SessionName:
    """A session as people name it."""

    expected: str = 'a session id, a dsh-session: URI or "new"'

    def read(self, value: Any) -> str:
        """The name as it was written; a malformed URI is refused."""
        name = read_text(value)
        if name.startswith(SCHEME):
            try:
                decode(name)
            except InvalidReferenceError as fault:
                raise ValueError(fault.message) from None
        return name


@dataclass(frozen=True, slots=True)
class Program:
    """A program's name or path, without arguments."""

    expected: str = "a program's name or path"

    def read(self, value: Any) -> str:
        """The text with `~` expanded."""
        return os.path.expanduser(read_text(value))  # noqa: PTH111


@dataclass(frozen=True, slots=True)
class Patterns:
    """Lines of an ignore file."""

    expected: str = "a list of patterns as in .gitignore"

    def read(self, value: Any) -> tuple[str, ...]:
        """All patterns; one wrong entry refuses the list, since a part of it would surprise."""
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            raise ValueError  # noqa: TRY004
        if len(value) > MAX_PATTERNS:
            raise ValueError(f"at most {MAX_PATTERNS} patterns")
        patterns = []
        for place, entry in enumerate(value, start=1):
            try:
                patterns.append(read_text(entry))
            except ValueError as fault:
                raise ValueError(f"entry {place}: {fault}") from None
        return tuple(patterns)


def read_text(value: Any) -> str:
    """A bounded text without control characters. Raises ValueError saying what is wrong."""
    if not isinstance(value, str):
        raise ValueError("it must be a text")  # noqa: TRY004
    if not value.strip():
        raise ValueError("it must not be empty")
    if len(value) > MAX_TEXT:
        raise ValueError(f"it is longer than {MAX_TEXT} characters")
    if any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in value):
        raise ValueError("it holds a control character")
    return value
