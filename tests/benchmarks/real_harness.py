"""Against real hosts of both generations: their candidates and their preparations, and ours.

Both sides read the same stores in the same run, and what they find must be the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.harness_candidates import compare_candidates
from tests.benchmarks.harness_preparation import compare_preparation
from tests.benchmarks.log_pens import OldPen, Pen
from tests.support.hosts_install import installed
from tests.support.hosts_releases import NEWER, OLDER, Release


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many sessions a release is asked for, how often each question, and why not more."""

    release: Release
    pen: type[Pen]
    sessions: int
    times: int
    remark: str = ""


COMPARISONS = (
    Comparison(NEWER, Pen, 10_000, times=3),
    Comparison(
        OLDER,
        OldPen,
        3_000,
        times=1,
        remark="fewer sessions, each query once: with a text one takes this host over half a "
        "minute, with 10,000 sessions over two",
    ),
)


def run(folder: Path) -> None:
    """Print the rows of each host that is installed."""
    for each in COMPARISONS:
        release = each.release
        if not installed(release):
            print(f"dsh {release.version} is not installed; `make hosts` installs it")
            continue
        place = folder / release.version
        print(f"dsh {release.version}, which writes format {release.log_format}")
        if each.remark:
            print(f"  ({each.remark})")
        compare_candidates(release, each.pen, place / "store", each.sessions, each.times)
        compare_preparation(release, each.pen, place / "logs")
