"""Times, ratios and facts of the machine, printed as they are found."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

RUNS = 5


def median(work: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds of the median run."""
    times = []
    for _ in range(runs):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def percentile(times: list[float], share: float) -> float:
    """The time that this share of the runs does not exceed."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def row(what: str, value: str, goal: str = "", *, met: bool | None = None) -> None:
    """One line of the output."""
    mark = {None: " ", True: "+", False: "-"}[met]
    print(f"{mark} {what:<58} {value:<34} {goal}", flush=True)


def milliseconds(seconds: float) -> str:
    """For people."""
    return f"{seconds * 1e3:,.2f} ms" if seconds < 0.1 else f"{seconds * 1e3:,.0f} ms"


def resident() -> int | None:
    """Bytes of memory that the process has now, where the system tells."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def machine() -> None:
    """Where these figures come from."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0].partition(":")[2].strip() if names else model
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{model}, {os.cpu_count()} processors{load}, {platform.platform()}")
    packages = ("orjson", "zstandard", "watchfiles", "anyio")
    print(f"Python {sys.version.split()[0]}, " + ", ".join(f"{p} {version(p)}" for p in packages))
    print("+ goal reached   - goal missed   medians; ratios are of the same run\n")
