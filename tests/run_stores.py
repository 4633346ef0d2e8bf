"""Check recorded session stores: `python tests/run_stores.py DIR...`.

A store is a folder with `sessions/` and `expected.json`; a folder of such folders is gone through.
Whatever cannot be judged (an empty folder, an unknown host, a store without expectations) is a
failure too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import anyio

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.support.recorded_stores import Verdict, check_store, find  # noqa: E402


async def check(folder: Path) -> AsyncIterator[Verdict]:
    """The verdicts on every recorded store in and below a folder."""
    for store in find(folder):
        if isinstance(store, Verdict):
            yield store
            continue
        async for verdict in check_store(store):
            yield verdict


async def run(folders: list[Path]) -> int:
    """Print each failure and the totals; 1 when anything failed."""
    passed = failed = 0
    for folder in folders:
        async for verdict in check(folder):
            if verdict.fault is None:
                passed += 1
            else:
                failed += 1
                print(f"FAILED {ascii(verdict.place)[1:-1]}: {ascii(verdict.fault)[1:-1][:600]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main(arguments: list[str] | None = None) -> int:
    """The exit code is 1 when anything failed."""
    parser = argparse.ArgumentParser(description="Check recorded session stores.")
    parser.add_argument("folders", type=Path, metavar="DIR", nargs="+")
    return anyio.run(run, parser.parse_args(arguments).folders)


if __name__ == "__main__":
    sys.exit(main())
