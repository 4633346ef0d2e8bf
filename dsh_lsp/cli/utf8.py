"""File names are UTF-8 for us, whatever a locale says: sessions record them as text."""

from __future__ import annotations

import os
import sys


def require_utf8_names() -> None:
    """Begin again in Python's UTF-8 mode where names would be read in another encoding.

    Terminals keep the encoding that they have.
    """
    if sys.getfilesystemencoding().lower() == "utf-8":
        return
    os.environ.setdefault("PYTHONIOENCODING", getattr(sys.stdout, "encoding", None) or "utf-8")
    again = [sys.executable, "-P", "-X", "utf8", "-m", "dsh_lsp", *sys.argv[1:]]
    os.execv(sys.executable, again)  # noqa: S606 - our own program, by its full path
