"""Which hosts dsh-lsp has started, as records in the state folder (docs/harness.md)."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from dsh_lsp.harness.private_file import write_private
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.cookies import MAX_FILE, CookieStore


@dataclass(frozen=True, slots=True)
class StartedHost:
    """A host that dsh-lsp started. `born` tells its process from a later one of the same number.

    The address holds no token.
    """

    url: str
    pid: int
    born: str | None


class StartedHosts:
    """The records of a folder. Those whose process has ended are removed when they are met.

    The login goes with the record: the port was free, so no other host is entered by it.
    """

    def __init__(self, folder: Path, logins: CookieStore) -> None:
        self._folder = folder
        self._logins = logins

    def add(self, url: str, pid: int) -> StartedHost:
        """Keep a record. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        host = StartedHost(url, pid, _born(pid))
        write_private(self._folder / f"{pid}.json", json.dumps(asdict(host)).encode())
        return host

    def remove(self, host: StartedHost) -> None:
        """Drop a record, and the login of its host."""
        with contextlib.suppress(OSError):
            self._drop(self._folder / f"{host.pid}.json", host)

    def running(self) -> tuple[StartedHost, ...]:
        """The hosts that still run, the latest first."""
        found = []
        for file in self._folder.glob("*.json"):
            with contextlib.suppress(OSError):
                host = _load(file)
                if host is not None and _lives(host):
                    found.append((file.stat().st_mtime, host.pid, host))
                else:
                    self._drop(file, host)
        return tuple(host for *_, host in sorted(found, reverse=True))

    def _drop(self, file: Path, host: StartedHost | None) -> None:
        with contextlib.suppress(ValueError):  # of a damaged record
            if host is not None:
                self._logins.forget(read_address(host.url))
        file.unlink()


def _load(file: Path) -> StartedHost | None:
    """The record in a file; None for anything else. Raises OSError."""
    try:
        with file.open("rb") as content:
            record = json.loads(content.read(MAX_FILE))
        url, pid, born = record["url"], record["pid"], record["born"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(url, str) or type(pid) is not int or pid < 1:
        return None
    return StartedHost(url, pid, born if isinstance(born, str) else None)


def _lives(host: StartedHost) -> bool:
    if sys.platform == "win32":
        return True  # asking there could end the process; the address will tell
    try:
        os.kill(host.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return _born(host.pid) == host.born


def _born(pid: int) -> str | None:
    """When a process began, as Linux counts it; None elsewhere."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return None
    fields = status.rpartition(")")[2].split()  # the name before it may hold anything
    return fields[19] if len(fields) > 19 else None
