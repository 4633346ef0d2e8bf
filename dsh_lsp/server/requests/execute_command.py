"""`workspace/executeCommand`: one of the commands, with its progress."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from lsprotocol import types

from dsh_lsp.server.commands.arguments import read_arguments
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.commands.table import COMMANDS
from dsh_lsp.server.connection import Connection
from dsh_lsp.server.failures import ArgumentError
from dsh_lsp.server.progress import Progress
from dsh_lsp.server.wire import is_request_id


def answer(connection: Connection, params: types.ExecuteCommandParams) -> Awaitable[dict[str, Any]]:
    """The command's JSON."""
    command = COMMANDS.get(params.command)
    if command is None:
        raise ArgumentError(f"there is no command {params.command!r:.100}")
    try:
        arguments = read_arguments(params.arguments)
        progress = _progress(connection, params)
    except ArgumentError as fault:
        raise ArgumentError(f"{params.command} {fault}") from None

    async def run() -> dict[str, Any]:
        try:
            return await command(Call(connection.state, arguments, progress.report))
        except ArgumentError as fault:
            raise ArgumentError(f"{params.command} {fault}") from None
        finally:
            progress.end()
            connection.commands.pop(progress.token, None)
            connection.diagnostics.recheck()  # a command may have named or created the target

    task = asyncio.ensure_future(run())
    connection.commands[progress.token] = task
    return task


def _progress(connection: Connection, params: types.ExecuteCommandParams) -> Progress:
    token = params.work_done_token
    if token is not None and not is_request_id(token):
        raise ArgumentError("expects workDoneToken to be a whole number or a string")

    return connection.progress(params.command, token)
