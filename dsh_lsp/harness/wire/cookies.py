"""Logins, kept in the state folder, one file for each address (docs/harness.md)."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_lsp.harness.private_file import write_private
from dsh_lsp.harness.wire.address import HostAddress

MAX_FILE = 16 << 10
"""Bytes of one file; a cookie is a few hundred."""


@dataclass(frozen=True, slots=True)
class Login:
    """A cookie as a request carries it, and when it ends (Unix seconds)."""

    cookie: str
    expires_at: float


class CookieStore:
    """Logins by address. Files are readable by their owner alone, and hold no other secret."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock

    def get(self, address: HostAddress) -> str | None:
        """The cookie for an address, unless it has expired or cannot be read."""
        login = _read(_load(self._file(address)), address.url)
        return login.cookie if login and login.expires_at > self._clock() else None

    def put(self, address: HostAddress, login: Login) -> None:
        """Keep a login, in place of an earlier one. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        record = {"address": address.url, "cookie": login.cookie, "expiresAt": login.expires_at}
        write_private(self._file(address), json.dumps(record).encode())

    def forget(self, address: HostAddress) -> None:
        """Drop a login, if there is one. Raises OSError."""
        self._file(address).unlink(missing_ok=True)

    def addresses(self) -> tuple[str, ...]:
        """Where logins are kept that have not expired, the latest first."""
        found = []
        for file in self._folder.glob("*.json"):
            record = _load(file)
            url = record.get("address") if isinstance(record, dict) else None
            login = _read(record, url) if isinstance(url, str) else None
            if isinstance(url, str) and login and login.expires_at > self._clock():
                found.append((-login.expires_at, url))
        return tuple(url for _, url in sorted(found))

    def _file(self, address: HostAddress) -> Path:
        name = hashlib.sha256(address.url.encode()).hexdigest()[:32]
        return self._folder / f"{name}.json"


def _load(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            return json.loads(file.read(MAX_FILE))
    except (OSError, ValueError, RecursionError):
        return None


def _read(record: Any, url: str) -> Login | None:
    if not isinstance(record, dict) or record.get("address") != url:
        return None
    cookie, expires_at = record.get("cookie"), record.get("expiresAt")
    if not isinstance(cookie, str) or not isinstance(expires_at, int | float):
        return None
    return Login(cookie, float(expires_at))
