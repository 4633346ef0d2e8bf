"""Where a host listens, spelled exactly as it was given: cookies belong to one spelling."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_ADDRESS = 300
"""Characters of a scheme and authority together."""

DEFAULT_URL = "http://127.0.0.1:3080"
"""Where `dsh web` listens unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class HostAddress:
    """Scheme and authority of a host, such as `http` and `127.0.0.1:3080`."""

    scheme: str
    authority: str
    hostname: str
    port: int | None  # None where the URL has none

    @property
    def url(self) -> str:
        """The address without a slash at its end."""
        return f"{self.scheme}://{self.authority}"

    @property
    def is_loopback(self) -> bool:
        """Whether it can only be a program of this machine."""
        if self.hostname == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.hostname).is_loopback
        except ValueError:
            return False


def read_address(url: str) -> HostAddress:
    """The address in a URL, whatever path and query it has. Raises ValueError saying what is wrong.

    The message never repeats the URL, which may hold a token.
    """
    try:
        parts = urlsplit(url)
        hostname, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("the address is not a URL such as http://127.0.0.1:3080") from None
    if parts.scheme not in ("http", "https") or not hostname or port == 0:
        raise ValueError("the address is not a URL such as http://127.0.0.1:3080")
    if "@" in parts.netloc:
        raise ValueError("the address must not hold a user and password")
    if len(parts.netloc) > MAX_ADDRESS or not all("!" <= char <= "~" for char in parts.netloc):
        raise ValueError("the address is too long, or its host name is not plain ASCII")
    return HostAddress(parts.scheme, parts.netloc.lower(), hostname, port)
