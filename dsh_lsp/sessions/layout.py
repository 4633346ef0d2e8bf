"""Where a store keeps the log of a session (docs/storage.md): names of folders and files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

NO_CWD = "_no-cwd"
"""The project folder of sessions without a working directory."""

_MAX_KEY = 251
_SEPARATORS = re.compile(r"[/\\:]+")
_ESCAPED_UNIT = re.compile(r"[^A-Za-z0-9._-]")
_LOG_NAME = re.compile(r"session(?:\.v([1-9][0-9]{0,8}))?\.jsonl(\.zstd)?")


class Compression(StrEnum):
    """How the bytes of a log are stored."""

    NONE = "none"
    ZSTD = "zstd"


@dataclass(frozen=True, slots=True, order=True)
class LogName:
    """What the name of a log file tells: the format that it was written in, and its compression.

    Ordered by which file of a folder counts: the highest generation, compressed before plain.
    """

    generation: int
    compression: Compression

    def __str__(self) -> str:
        version = f".v{self.generation}" if self.generation else ""
        suffix = ".zstd" if self.compression is Compression.ZSTD else ""
        return f"session{version}.jsonl{suffix}"


@lru_cache(maxsize=64)
def parse_log_name(name: str) -> LogName | None:
    """The meaning of a canonical log file name; None for leftovers and everything else."""
    found = _LOG_NAME.fullmatch(name)
    if found is None:
        return None
    generation, suffix = found.groups()
    return LogName(
        int(generation) if generation else 0, Compression.ZSTD if suffix else Compression.NONE
    )


def log_names(names: Iterable[str]) -> list[LogName]:
    """The logs among the names of a session's folder, the one that counts first."""
    found = (parse_log_name(name) for name in names)
    return sorted((name for name in found if name is not None), reverse=True)


def encode_segment(session_id: str) -> str:
    """The folder name of a session. Raises ValueError for the empty id."""
    if not session_id:
        raise ValueError("a session id must not be empty")
    if session_id in (".", ".."):
        return session_id.replace(".", "~002E")
    return _escape(session_id)


@lru_cache(maxsize=256)
def project_key(cwd: str | None) -> str:
    """The folder name of a project. Lossy: the header, not the path, tells a session's cwd.

    Raises ValueError for the empty cwd.
    """
    if cwd is None:
        return NO_CWD
    if not cwd:
        raise ValueError("a working directory must not be empty")
    key = _escape(_SEPARATORS.sub("-", cwd)).lstrip("-") or "root"
    return f"--{key[:_MAX_KEY]}--"


def session_folder(root: Path, session_id: str, cwd: str | None) -> Path:
    """The folder of a session. Raises ValueError for an empty id or cwd."""
    return root / project_key(cwd) / encode_segment(session_id)


def _escape(text: str) -> str:
    return _ESCAPED_UNIT.sub(_escape_character, text)


def _escape_character(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"~{units[at : at + 4]}" for at in range(0, len(units), 4))
