"""Install the real hosts: `python -m tests.hosts.install`; with `--matrix`, those of the matrix."""

from __future__ import annotations

import argparse
import time

from tests.support.hosts_install import install
from tests.support.hosts_releases import EVERY_RUN, MATRIX


def main() -> None:
    """Install what the arguments name, and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--matrix",
        dest="releases",
        action="store_const",
        const=MATRIX,
        default=EVERY_RUN,
        help="also the releases that only `make test-matrix` tries",
    )
    for release in parser.parse_args().releases:
        began = time.monotonic()
        install(release)
        print(f"dsh {release.version}: {release.folder} ({time.monotonic() - began:.1f} s)")


if __name__ == "__main__":
    main()
