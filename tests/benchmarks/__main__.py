"""`python -m tests.benchmarks [PART ...]`: figures of this machine.

The parts are start, logs, stores, following, prompts, and hosts, which compares with real hosts.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.benchmarks import following, logs, prompts, real_harness, start, stores
from tests.benchmarks.measuring import machine

PARTS = {
    "start": start.run,
    "logs": logs.run,
    "stores": stores.run,
    "following": following.run,
    "prompts": prompts.run,
    "hosts": real_harness.run,
}


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
