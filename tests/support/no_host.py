"""Keeping tests away from a harness that runs on this machine for its user."""

from __future__ import annotations

NO_HOST = {"DSH_WEB_URL": "http://127.0.0.1:9"}
"""Environment in which dsh-lsp looks for a harness only where nobody listens."""
