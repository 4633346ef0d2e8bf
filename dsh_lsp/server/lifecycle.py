"""Handlers of the connection itself: its start and end, documents, folders and settings.

All of them take effect before the next message is looked at.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from lsprotocol import types

from dsh_lsp.server.capabilities import initialize_result
from dsh_lsp.server.client import read_client
from dsh_lsp.server.connection import Connection
from dsh_lsp.server.convert import change_of
from dsh_lsp.server.documents import Document, changed
from dsh_lsp.server.folders import Folders


def initialize(connection: Connection, params: Mapping[str, Any]) -> dict[str, Any]:
    """Begin; `params` are plain JSON of any shape."""
    client = read_client(params)
    folders = Folders().changed(_folder_uris(params), ())
    faults = connection.state.start(client, folders, params.get("initializationOptions"))
    connection.show(faults)
    return initialize_result(client)


def initialized(connection: Connection, _: Mapping[str, Any]) -> Awaitable[None]:
    """The editor takes requests from now on."""
    return connection.opened()


def shutdown(connection: Connection, _: None) -> Awaitable[None]:
    """End everything but the connection."""
    connection.protocol.shut_down()
    return connection.close()


def did_open(connection: Connection, params: types.DidOpenTextDocumentParams) -> None:
    """A document is now the editor's."""
    opened = params.text_document
    connection.state.documents[opened.uri] = Document(opened.uri, opened.version, opened.text)
    connection.diagnostics.changed(opened.uri)


def did_change(connection: Connection, params: types.DidChangeTextDocumentParams) -> None:
    """A document has its next version."""
    uri, version = params.text_document.uri, params.text_document.version
    document = connection.state.document(uri)
    changes = map(change_of, params.content_changes)
    unit = connection.state.client.unit
    connection.state.documents[uri] = changed(document, version, changes, unit)
    connection.diagnostics.changed(uri)


def did_close(connection: Connection, params: types.DidCloseTextDocumentParams) -> None:
    """A document is no longer the editor's."""
    connection.state.forget(params.text_document.uri)
    connection.completing.pop(params.text_document.uri, None)
    connection.diagnostics.closed(params.text_document.uri)


def did_change_folders(
    connection: Connection, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    """Folders came or went."""
    event = params.event
    connection.state.folders = connection.state.folders.changed(
        [folder.uri for folder in event.added], [folder.uri for folder in event.removed]
    )
    connection.diagnostics.recheck()


def did_change_configuration(connection: Connection, params: Mapping[str, Any]) -> Awaitable[None]:
    """Settings changed: editors that can be asked are asked, the others have sent them."""
    if connection.state.client.pulls_configuration:
        return connection.configure(connection.pulled_configuration())
    return connection.configure(_already(params.get("settings")))


def cancel_progress(connection: Connection, params: types.WorkDoneProgressCancelParams) -> None:
    """The user has cancelled a command in its progress."""
    command = connection.commands.get(params.token)
    if command is not None:
        command.cancel()


def ignore(_: Connection, __: object) -> None:
    """A notification that changes nothing here."""


def _folder_uris(params: Mapping[str, Any]) -> list[str]:
    """The folders that the editor opened, in any of the ways that LSP has had for it."""
    folders = params.get("workspaceFolders")
    listed = folders if isinstance(folders, list) else []
    uris = [folder.get("uri") for folder in listed if isinstance(folder, dict)]
    if not uris:
        uris = [params.get("rootUri")]
    return [uri for uri in uris if isinstance(uri, str)]


async def _already(value: Any) -> Any:
    return value
