"""Which function answers which command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.commands.harness import login, start_harness
from dsh_lsp.server.commands.outbox import outbox
from dsh_lsp.server.commands.prepare import copy_prepared, prepare, preview
from dsh_lsp.server.commands.send import send_prompt
from dsh_lsp.server.commands.sessions import sessions
from dsh_lsp.server.commands.status import status
from dsh_lsp.server.commands.targets import new_session, select_target
from dsh_lsp.server.facts_json import Json

COMMANDS: Mapping[str, Callable[[Call], Awaitable[Json]]] = {
    "dsh.copyPrepared": copy_prepared,
    "dsh.login": login,
    "dsh.newSession": new_session,
    "dsh.outbox": outbox,
    "dsh.prepare": prepare,
    "dsh.preview": preview,
    "dsh.selectTarget": select_target,
    "dsh.send": send_prompt,
    "dsh.sessions": sessions,
    "dsh.startHarness": start_harness,
    "dsh.status": status,
}
