"""What was read of logs, kept beyond the life of a process (docs/storage.md)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Protocol

from dsh_lsp.sessions.index_file import IndexFile

VERSION = 1
"""Of the tables and of what folds make of a log: raise it whenever either changes."""

SURFACE_BYTES = 256 << 20
"""Bytes of folded surfaces that the file holds; those written longest ago go first."""

_GATHER = 0.25  # seconds in which rows are gathered for one transaction
_FAREWELL = 2.0  # seconds for the last transaction

_TABLE = """
CREATE TABLE IF NOT EXISTS kept (
  kind INTEGER, path BLOB, store BLOB, revision TEXT, size INTEGER, value BLOB,
  PRIMARY KEY (kind, path)
)
"""
_PROBE = "SELECT kind, path, store, revision, size, value FROM kept LIMIT 0"
_ALL = "SELECT path, revision, value FROM kept WHERE kind = ? AND store = ?"
_ONE = "SELECT path, revision, value FROM kept WHERE kind = ? AND path = ?"
_PUT = """
INSERT OR REPLACE INTO kept (kind, path, store, revision, size, value) VALUES (?, ?, ?, ?, ?, ?)
"""
_FORGET = "DELETE FROM kept WHERE kind = ? AND path = ?"
_PURGE = "DELETE FROM kept WHERE kind = ?"
_SHED = """
DELETE FROM kept WHERE rowid IN (
  SELECT rowid FROM (
    SELECT rowid, sum(size) OVER (ORDER BY rowid DESC) AS newer FROM kept WHERE kind = ?
  ) WHERE newer > ?
)
"""


class Kind(IntEnum):
    """What a row holds of a log. Names and surfaces are conversation, headers are not."""

    HEADER = 1
    NAMES = 2
    SURFACE = 3


@dataclass(frozen=True, slots=True)
class Row:
    """The value that was kept for a log at one revision."""

    path: str
    revision: str
    value: bytes


class Index(Protocol):
    """Rows by kind and log. Blocking, never raises, safe to use from several threads."""

    def rows(self, kind: Kind) -> list[Row]:
        """All rows of this store."""
        ...

    def row(self, kind: Kind, path: str) -> Row | None:
        """One log's row."""
        ...

    def put(self, kind: Kind, path: str, revision: str, encode: Callable[[], bytes]) -> None:
        """Keep a value, soon; `encode` is called in another thread."""
        ...

    def forget(self, paths: Iterable[str]) -> None:
        """Drop what is kept of logs that are gone, soon."""
        ...

    def close(self) -> None:
        """Write what is left, for a short time, and keep nothing from now on."""
        ...


class NoIndex:
    """Keeps nothing."""

    def rows(self, kind: Kind) -> list[Row]:  # noqa: ARG002
        """None."""
        return []

    def row(self, kind: Kind, path: str) -> Row | None:  # noqa: ARG002
        """None."""
        return None

    def put(self, kind: Kind, path: str, revision: str, encode: Callable[[], bytes]) -> None:
        """Not kept."""

    def forget(self, paths: Iterable[str]) -> None:
        """Nothing is there."""

    def close(self) -> None:
        """Nothing is open."""


class DiskIndex:
    """The rows of one store in `index-<VERSION>.sqlite3` of a folder.

    Only `kinds` are kept, and what the file holds of others, for any store, is removed soon after
    the first call. Nothing is opened before.
    """

    def __init__(self, folder: Path, store: Path, kinds: frozenset[Kind] = frozenset(Kind)) -> None:
        self._file = IndexFile(folder / f"index-{VERSION}.sqlite3", [_TABLE], [_PROBE])
        self._store = os.fsencode(store)
        self._kinds = kinds
        self._purge = sorted(frozenset(Kind) - kinds)  # until it has worked once
        self._purge_waits = False
        self._waiting: dict[tuple[Kind, str], tuple[str, Callable[[], bytes]]] = {}
        self._gone: set[str] = set()
        self._changed = threading.Condition()
        self._writer: threading.Thread | None = None
        self._closing = threading.Event()

    def rows(self, kind: Kind) -> list[Row]:
        """All rows of this store."""
        if self._purge:
            with self._changed:
                self._purge_waits = True
                self._wake()
        found = self._file.read(_ALL, (kind, self._store)) if kind in self._kinds else []
        return [Row(os.fsdecode(path), revision, value) for path, revision, value in found]

    def row(self, kind: Kind, path: str) -> Row | None:
        """One log's row."""
        key = (kind, os.fsencode(path))
        for _, revision, value in self._file.read(_ONE, key) if kind in self._kinds else ():
            return Row(path, revision, value)
        return None

    def put(self, kind: Kind, path: str, revision: str, encode: Callable[[], bytes]) -> None:
        """Keep a value, soon; `encode` is called in another thread."""
        if kind in self._kinds:
            with self._changed:
                self._waiting[kind, path] = (revision, encode)
                self._wake()

    def forget(self, paths: Iterable[str]) -> None:
        """Drop what is kept of logs that are gone, soon."""
        with self._changed:
            self._gone.update(paths)
            if self._gone:
                self._wake()

    def close(self) -> None:
        """Write what is left, for a short time, and keep nothing from now on."""
        with self._changed:
            self._closing.set()
            writer = self._writer
            self._changed.notify_all()
        if writer is not None:
            writer.join(_FAREWELL)
        self._file.close()

    def _wake(self) -> None:
        if self._closing.is_set():
            return
        if self._writer is None:
            self._writer = threading.Thread(target=self._write, name="dsh-lsp index", daemon=True)
            self._writer.start()
        self._changed.notify_all()

    def _write(self) -> None:
        """Until closed: write what is waiting, many rows in one transaction."""
        while True:
            with self._changed:
                self._changed.wait_for(self._has_work)
            self._closing.wait(_GATHER)  # and not to be woken for each row
            with self._changed:
                waiting, self._waiting = self._waiting, {}
                gone, self._gone = self._gone, set()
                if self._closing.is_set() and not (waiting or gone or self._purge_waits):
                    return
                self._purge_waits = False
            if self._file.write(self._steps(waiting, gone)):
                self._purge = []

    def _steps(
        self, waiting: dict[tuple[Kind, str], tuple[str, Callable[[], bytes]]], gone: set[str]
    ) -> list[tuple[str, list[tuple[object, ...]]]]:
        rows: list[tuple[object, ...]] = []
        for (kind, path), (revision, encode) in waiting.items():
            try:
                value = encode()
            except (TypeError, RecursionError):  # a log may nest deeper than can be written
                continue
            rows.append((kind, os.fsencode(path), self._store, revision, len(value), value))
        return [
            (_PURGE, [(kind,) for kind in self._purge]),
            (_FORGET, [(kind, os.fsencode(path)) for path in gone for kind in Kind]),
            (_PUT, rows),
            (_SHED, [(Kind.SURFACE, SURFACE_BYTES)] if self._holds_surfaces(waiting) else []),
        ]

    def _has_work(self) -> bool:
        return bool(self._closing.is_set() or self._waiting or self._gone or self._purge_waits)

    def _holds_surfaces(self, waiting: Iterable[tuple[Kind, str]]) -> bool:
        return any(kind is Kind.SURFACE for kind, _ in waiting)
