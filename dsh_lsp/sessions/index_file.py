"""One SQLite file that several servers share, and that nobody misses (docs/storage.md)."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

_PATIENCE = 0.1  # seconds that another server's transaction may hold us up

_OUTSIDE_THE_FILE = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM),
}
"""Primary result codes that say nothing about what the file holds."""

T = TypeVar("T")


class IndexFile:
    """Rows in a file that its user alone may read. Never raises; safe to use from several threads.

    Whatever cannot be read is not there, and whatever cannot be written is dropped. A file that
    holds something else than the tables is made anew, once for each time that it is opened.
    """

    def __init__(self, path: Path, tables: Sequence[str], probes: Sequence[str]) -> None:
        """`tables` create what is missing; each of `probes` fails unless its table fits."""
        self._path = path
        self._tables = tables
        self._probes = probes
        self._connection: sqlite3.Connection | None = None
        self._given_up = False
        self._using = threading.Lock()

    def read(self, query: str, values: Sequence[object]) -> list[Any]:
        """The rows that a query finds."""
        found = self._use(lambda connection: connection.execute(query, values).fetchall())
        return found or []

    def write(self, steps: Sequence[tuple[str, Iterable[Sequence[object]]]]) -> bool:
        """Run statements, each for some values, in one transaction; whether that worked."""

        def run(connection: sqlite3.Connection) -> bool:
            with connection:
                for statement, values in steps:
                    connection.executemany(statement, values)
            return True

        return self._use(run) is not None

    def close(self) -> None:
        """Let go of the file; a later use opens it again."""
        with self._using:
            self._let_go()
            self._given_up = False

    def _use(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._using:
            try:
                connection = self._open()
                return work(connection) if connection else None
            except sqlite3.Error as error:
                if _is_damage(error):
                    self._let_go()
                    self._remove()
                return None

    def _open(self) -> sqlite3.Connection | None:
        if self._connection is None and not self._given_up:
            self._given_up = True  # unless this succeeds: not with every read again
            try:
                self._connection = self._connect()
            except sqlite3.Error as error:
                if not _is_damage(error):
                    return None
                self._remove()
                with contextlib.suppress(sqlite3.Error, OSError):
                    self._connection = self._connect()
            except OSError:
                return None
            self._given_up = self._connection is None
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        """Raises OSError and sqlite3.Error."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        self._path.chmod(0o600)  # SQLite gives the files beside it the same rights
        connection = sqlite3.connect(self._path, timeout=_PATIENCE, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")
            for statement in (*self._tables, *self._probes):
                connection.execute(statement)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _let_go(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                Path(f"{self._path}{suffix}").unlink()


def _is_damage(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF not in _OUTSIDE_THE_FILE
