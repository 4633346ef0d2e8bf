"""What the server works with; `app` builds it, so the server knows no concrete store or host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dsh_lsp.harness.port import Files, Harness
from dsh_lsp.sessions.query import SessionQuery
from dsh_lsp.settings import Settings


@dataclass(frozen=True, slots=True)
class Services:
    """The parts behind one set of settings. `query` covers stored and live sessions."""

    query: SessionQuery
    harness: Harness
    files: Files
    store: str  # the path of the session store, for people


Connect = Callable[[Settings], Services]
"""Builds the services for settings; called again when they change."""
