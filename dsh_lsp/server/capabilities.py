"""What the server offers, as the plain JSON of the `initialize` result.

Plain, so that `initialize` is answered before the slow import of LSP's types.
"""

from __future__ import annotations

from typing import Any

from dsh_lsp import __version__
from dsh_lsp.server.client import Client

COMMANDS = (
    "dsh.copyPrepared",
    "dsh.login",
    "dsh.newSession",
    "dsh.outbox",
    "dsh.prepare",
    "dsh.preview",
    "dsh.selectTarget",
    "dsh.send",
    "dsh.sessions",
    "dsh.startHarness",
    "dsh.status",
)

FIX_ALL = "source.fixAll.dsh"

TRIGGERS = ("@", "/", '"', "[", " ")
"""A space only ever continues a quoted or bracketed token; everywhere else it opens nothing."""

_INCREMENTAL = 2


def initialize_result(client: Client) -> dict[str, Any]:
    """The whole `InitializeResult` for a client."""
    capabilities: dict[str, Any] = {
        "positionEncoding": client.unit.value,
        "textDocumentSync": {"openClose": True, "change": _INCREMENTAL},
        "completionProvider": {
            "triggerCharacters": list(TRIGGERS),
            "resolveProvider": True,
            "completionItem": {"labelDetailsSupport": True},
        },
        "hoverProvider": True,
        "codeActionProvider": {"codeActionKinds": ["quickfix", FIX_ALL]},
        "executeCommandProvider": {"commands": list(COMMANDS), "workDoneProgress": True},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    if client.pulls_diagnostics:
        capabilities["diagnosticProvider"] = {
            "identifier": "dsh",
            "interFileDependencies": False,
            "workspaceDiagnostics": False,
        }
    return {
        "capabilities": capabilities,
        "serverInfo": {"name": "dsh-lsp", "version": __version__},
    }
