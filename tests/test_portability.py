"""What the oldest supported Python cannot run rightly."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "dsh_lsp"

POSSESSIVE = re.compile(r"[\])}][*+?]\+|\(\?>")


def test_no_pattern_is_possessive():
    """Python 3.11.2, which Debian 12 has, matches possessive groups wrongly."""
    assert POSSESSIVE.search(r"(?:[a]|b)*+")
    paths = sorted(PACKAGE.rglob("*.py"))
    assert paths
    assert not [path.name for path in paths if POSSESSIVE.search(path.read_text("utf-8"))]
