"""dsh-lsp on a system that tells of no changed files, so that it has to look for them."""

from __future__ import annotations

import sys

from dsh_lsp.cli import main

if __name__ == "__main__":
    sys.modules["watchfiles"] = None  # type: ignore[assignment]  # importing it fails
    sys.exit(main(["serve"]))
