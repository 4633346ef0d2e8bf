"""The registration table: which handler answers which method."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from importlib import import_module
from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from dsh_lsp import __version__
from dsh_lsp.late import late
from dsh_lsp.server import lifecycle
from dsh_lsp.server.connection import Connection
from dsh_lsp.server.protocol import Protocol
from dsh_lsp.server.services import Connect

_log = logging.getLogger("dsh_lsp.server")

HANDLERS: Mapping[str, Callable[..., Any]] = {
    types.INITIALIZE: lifecycle.initialize,
    types.INITIALIZED: lifecycle.initialized,
    types.SHUTDOWN: lifecycle.shutdown,
    types.SET_TRACE: lifecycle.ignore,
    types.TEXT_DOCUMENT_DID_OPEN: lifecycle.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: lifecycle.did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: lifecycle.did_close,
    types.TEXT_DOCUMENT_DID_SAVE: lifecycle.ignore,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: lifecycle.did_change_folders,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: lifecycle.did_change_configuration,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: lifecycle.cancel_progress,
}
"""These take effect before the next message is looked at."""

QUESTIONS: Mapping[str, str] = {
    types.TEXT_DOCUMENT_COMPLETION: "completion",
    types.COMPLETION_ITEM_RESOLVE: "completion_resolve",
    types.TEXT_DOCUMENT_HOVER: "hover",
    types.TEXT_DOCUMENT_DIAGNOSTIC: "diagnostic",
    types.TEXT_DOCUMENT_CODE_ACTION: "code_action",
    types.WORKSPACE_EXECUTE_COMMAND: "execute_command",
}
"""The module of `requests` that answers each, once settings and long prompts have been read."""


class Server(LanguageServer):
    """A server for one connection; nothing of it runs yet."""

    protocol: Protocol

    def __init__(self, connect: Connect, defaults: Mapping[str, Any] | None = None) -> None:
        super().__init__(
            "dsh-lsp",
            __version__,
            protocol_cls=Protocol,
            converter_factory=lambda: late(lenient_converter),
        )
        self.connection = Connection(connect, self.protocol, defaults)
        for method, handler in HANDLERS.items():
            self.protocol.fm.features[method] = partial(handler, self.connection)
        for method, module in QUESTIONS.items():
            answer = partial(_answer, module, self.connection)
            self.protocol.fm.features[method] = partial(self.connection.when_ready, answer)

    def report_server_error(self, error: Exception, source: object) -> None:  # noqa: ARG002
        """pygls would show a pop-up; there is nothing in it that a user could act on."""
        _log.warning("the connection failed with %s", type(error).__name__)


def _answer(module: str, connection: Connection, params: Any) -> Any:
    return import_module(f"dsh_lsp.server.requests.{module}").answer(connection, params)


def lenient_converter() -> Converter:
    """LSP's converter, which keeps values that an enumeration does not know as they are."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in vars(types).values():
        if isinstance(kind, type) and issubclass(kind, Enum):
            converter.register_structure_hook(kind, _known_or_as_it_is)
    return converter


def _known_or_as_it_is(value: Any, kind: type[Enum]) -> Any:
    try:
        return kind(value)
    except ValueError:
        return value
