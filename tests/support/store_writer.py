"""Writes session stores for tests: logs of every format where a harness would put them."""

from __future__ import annotations

import os
from pathlib import Path

import zstandard

from dsh_lsp.sessions.layout import Compression, LogName, session_folder
from tests.support.log_script import Script, line


def frame(data: bytes) -> bytes:
    """One zstd frame with its checksum."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def plain_log(script: Script) -> bytes:
    """The lines of a log, uncompressed."""
    return b"".join(line(record) for record in [script.header, *script.events])


def zstd_frames(script: Script) -> list[bytes]:
    """The frames of a log: the header's, then one for each batch that holds anything."""
    batches = (b"".join(map(line, batch)) for batch in script.batches)
    return [frame(line(script.header)), *(frame(batch) for batch in batches if batch)]


def log_bytes(script: Script, compression: Compression) -> bytes:
    """The whole log."""
    if compression is Compression.NONE:
        return plain_log(script)
    return b"".join(zstd_frames(script))


def log_path(root: Path, script: Script, compression: Compression = Compression.ZSTD) -> Path:
    """Where a harness keeps this session's log."""
    folder = session_folder(root, script.session_id, script.header.get("cwd"))
    return folder / str(LogName(script.version, compression))


def write_log(
    root: Path,
    script: Script,
    compression: Compression = Compression.ZSTD,
    data: bytes | None = None,
) -> Path:
    """Put a session into a store, whole or with the given bytes, beside its lock file."""
    path = log_path(root, script, compression)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(log_bytes(script, compression) if data is None else data)
    (path.parent / "session.lock").touch()
    return path


def tree(root: Path) -> dict[str, tuple[int, int, int]]:
    """Everything below a folder with mode, size and modification time."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files, "."]:
            path = Path(folder, name)
            status = path.lstat()
            found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return found
