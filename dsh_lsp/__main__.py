"""`python -m dsh_lsp` is the command `dsh-lsp`."""

from __future__ import annotations

import sys

from dsh_lsp.cli import main

sys.exit(main())
