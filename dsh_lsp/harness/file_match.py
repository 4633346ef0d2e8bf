"""Which found files fit what was typed, best first."""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Iterable
from enum import IntEnum

from dsh_lsp.core.paths import format_path
from dsh_lsp.harness.port import FoundFile


class Fit(IntEnum):
    """How a file fits, best first."""

    NAME_START = 0
    NAME_PART = 1
    PATH_PART = 2
    SUBSEQUENCE = 3


def plain(text: str) -> str:
    """Text for comparing: letters of either case and of either Unicode normal form are equal."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def fit(path: str, wanted: str) -> Fit | None:
    """How `path` fits `wanted`; both are plain. None when it does not."""
    name = path.rpartition("/")[2]
    if name.startswith(wanted):
        return Fit.NAME_START
    if wanted in name:
        return Fit.NAME_PART
    if wanted in path:
        return Fit.PATH_PART
    return Fit.SUBSEQUENCE if _is_subsequence(wanted, path) else None


def best(files: Iterable[FoundFile], *, below: str, wanted: str, limit: int) -> list[FoundFile]:
    """The `limit` best fits, where `wanted` is matched against paths without the prefix `below`.

    Hidden files fit only a `wanted` that starts with a dot. Among equal fits the nearer come first,
    then folders, then shorter paths. Paths that no mention can write are left out.
    """
    sought = plain(wanted)
    start = len(below)
    ranked = []
    for file in files:
        if _is_hidden(file) and not wanted.startswith("."):
            continue
        found = fit(plain(file.path[start:]), sought)
        if found is not None and _can_be_written(file.path):
            length = len(file.path) if wanted else 0  # a whole folder is listed by name
            order = (file.path.count("/"), not file.is_directory, length, file.path)
            ranked.append((found, *order, file))
    return [entry[-1] for entry in heapq.nsmallest(limit, ranked, key=lambda entry: entry[:-1])]


def _is_subsequence(wanted: str, path: str) -> bool:
    place = 0
    for char in wanted:
        place = path.find(char, place) + 1
        if not place:
            return False
    return True


def _is_hidden(file: FoundFile) -> bool:
    return file.path.rpartition("/")[2].startswith(".")


def _can_be_written(path: str) -> bool:
    """Whether a mention can name it; a name whose bytes are no text holds lone surrogates."""
    is_text = not any("\ud800" <= char <= "\udfff" for char in path)
    return is_text and format_path(path) is not None
