"""`python -m tests.benchmarks [start] [logs] [stores] [prompts]`: figures of this machine.

A comparison with a real harness joins as one more module with a `run(folder)`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.benchmarks import logs, prompts, start, stores
from tests.benchmarks.measuring import machine

PARTS = {"start": start.run, "logs": logs.run, "stores": stores.run, "prompts": prompts.run}


def main(wanted: list[str]) -> int:
    """Run the parts that are wanted, else all."""
    unknown = set(wanted) - PARTS.keys()
    if unknown:
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
        return 2
    machine()
    for name in wanted or PARTS:
        print(f"== {name}")
        with tempfile.TemporaryDirectory(prefix="dsh-lsp-bench-") as folder:
            PARTS[name](Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
