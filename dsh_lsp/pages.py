"""Where the pages of docs/ are on this machine: inside an installed package, beside a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def page_uri(name: str) -> str:
    """The `file:` URI of a page, such as `diagnostics.md`."""
    installed = _PACKAGE / "docs" / name
    page = installed if installed.exists() else _PACKAGE.parent / "docs" / name
    return page.as_uri()
