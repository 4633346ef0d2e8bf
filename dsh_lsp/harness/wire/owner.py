"""Whose program listens at an address of this machine, where the system tells (Linux)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from dsh_lsp.harness.wire.address import HostAddress

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LISTENS = "0A"


def belongs_to_others(address: HostAddress) -> bool:
    """Whether only programs of other users listen at its port; False when that is not known."""
    if sys.platform != "linux" or address.port is None:
        return False
    owners = set(listeners(_lines(), address.port))
    return bool(owners) and os.getuid() not in owners


def listeners(lines: Iterable[str], port: int) -> Iterator[int]:
    """The users that listen at a port, from lines of the kernel's tables of connections."""
    for line in lines:
        fields = line.split()
        if len(fields) < 8 or fields[3] != _LISTENS:
            continue
        place, owner = fields[1].rpartition(":")[2], fields[7]
        if place == f"{port:04X}" and owner.isdigit():
            yield int(owner)


def _lines() -> Iterator[str]:
    for table in _TABLES:
        try:
            yield from table.read_text("ascii", "replace").splitlines()
        except OSError:
            continue
