"""Peak memory of folding one log: `python -m tests.benchmarks.peak LOG` prints two byte counts."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from dsh_lsp.core.log.event_types import KIND
from dsh_lsp.core.projection import project
from dsh_lsp.sessions.layout import Compression, LogName
from dsh_lsp.sessions.read_surface import read_surface


class _Never:
    def is_set(self) -> bool:
        return False


def peak() -> int:
    """Bytes. Linux also counts what a process was before it began its program, but not here."""
    status = Path("/proc/self/status")
    if status.is_file():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    idle = peak()
    read = read_surface(str(Path(sys.argv[1])), LogName(4, Compression.ZSTD), KIND, _Never())
    above = peak() - idle
    print(above, sum(len(item.text) for item in project(read.value.nodes)))
