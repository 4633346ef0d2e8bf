"""Which found files fit what was typed, best first."""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice

from dsh_lsp.core.paths import format_path
from dsh_lsp.harness.port import FoundFile

MAX_STARTS = 8
"""Words of a path at which an abbreviation may begin."""


class Fit(IntEnum):
    """How a file fits, best first."""

    NAME_START = 0
    NAME_PART = 1
    PATH_PART = 2
    ABBREVIATION = 3


@dataclass(frozen=True, slots=True)
class Matchable:
    """A file made ready for comparing, once for all the keystrokes that follow.

    `path` is the plain path below the folder that was typed.
    """

    file: FoundFile
    path: str
    name: str

    @property
    def hidden(self) -> bool:
        """Whether its name starts with a dot."""
        return self.name.startswith(".")


def matchable(files: Iterable[FoundFile], *, below: str) -> Iterator[Matchable]:
    """The files that a mention can write; `below` is the typed folder, a prefix of their paths."""
    for file in files:
        if _can_be_written(file.path):
            path = plain(file.path[len(below) :])
            yield Matchable(file, path, path.rpartition("/")[2])


def best(files: Iterable[Matchable], *, wanted: str, limit: int) -> list[FoundFile]:
    """The `limit` best fits. Hidden files fit only a `wanted` that starts with a dot.

    Among equal fits the nearer come first, then folders, then shorter paths.
    """
    sought = plain(wanted)
    shows_hidden = wanted.startswith(".")
    ranked = (
        (found, *_order(each.file, sought), each.file)
        for each in files
        if (shows_hidden or not each.hidden) and (found := fit(each, sought)) is not None
    )
    return [entry[-1] for entry in heapq.nsmallest(limit, ranked, key=lambda entry: entry[:-1])]


def fit(file: Matchable, sought: str) -> Fit | None:
    """How a file fits a plain text; None when it does not."""
    if sought in file.path:
        if file.name.startswith(sought):
            return Fit.NAME_START
        return Fit.NAME_PART if sought in file.name else Fit.PATH_PART
    return Fit.ABBREVIATION if _is_abbreviation(sought, file.path) else None


def plain(text: str) -> str:
    """Text for comparing: letters of either case and of either Unicode normal form are equal."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _order(file: FoundFile, sought: str) -> tuple[int, bool, int, str]:
    length = len(file.path) if sought else 0  # a whole folder is listed by name
    return file.path.count("/"), not file.is_directory, length, file.path


def _is_abbreviation(sought: str, path: str) -> bool:
    """Whether the letters of `sought` stand in `path` in order, from the start of a word on."""
    if not _is_subsequence(sought, path, 0):
        return False
    starts = re.finditer(rf"(?<![^\W_]){re.escape(sought[:1])}", path)
    return any(_is_subsequence(sought[1:], path, at.end()) for at in islice(starts, MAX_STARTS))


def _is_subsequence(sought: str, path: str, place: int) -> bool:
    for char in sought:
        place = path.find(char, place) + 1
        if not place:
            return False
    return True


def _can_be_written(path: str) -> bool:
    """Whether a mention can name it; a name whose bytes are no text holds lone surrogates."""
    is_text = not any("\ud800" <= char <= "\udfff" for char in path)
    return is_text and format_path(path) is not None
