"""The older wire, of 0.1.0 and 0.1.1: dotted method names, no login (docs/harness.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio.to_thread

from dsh_lsp.harness.port import Outgoing
from dsh_lsp.harness.wire import shapes
from dsh_lsp.harness.wire.envelope import LARGE, QUICK, SLOW
from dsh_lsp.harness.wire.services import HostServices
from dsh_lsp.sessions.hosted import HistoryPage, HostRow


class ApiProxy(HostServices):
    """A host of 0.1.0 or 0.1.1. It tells neither which, nor which sessions it holds open.

    It does tell how many those are; when there are none, that is the answer for each.
    """

    version = "0.1.0 or 0.1.1"
    log_format = 0

    async def check(self) -> None:
        """Return when the host has answered anything."""
        await self._caller.call("host.describe", {}, QUICK)

    async def rows(self) -> tuple[HostRow, ...]:
        """Every session that the host lists."""
        value = await self._caller.call("session.list", {}, LARGE)
        rows = await anyio.to_thread.run_sync(shapes.read_rows, value, "session.list")
        described = await self._caller.call("host.describe", {}, QUICK)
        if isinstance(described, dict) and described.get("attachedSessions") == 0:
            return tuple(replace(row, attached=False) for row in rows)
        return rows

    async def create(self, cwd: str | None) -> str:
        """A new session's id."""
        payload = {} if cwd is None else {"cwd": cwd}
        value = await self._caller.call("session.create", payload, SLOW)
        return shapes.read_created(value, "session.create")

    async def prompt(self, outgoing: Outgoing) -> None:
        """Return when the host has accepted it. It records the id of the envelope."""
        payload: dict[str, Any] = {
            "sessionId": outgoing.session_id,
            "mode": outgoing.mode.value,
            "content": [{"type": "text", "text": outgoing.text}],
        }
        if outgoing.time_zone is not None:
            payload["clientTimeZone"] = outgoing.time_zone
        await self._caller.call("session.prompt", payload, SLOW, rpc_id=outgoing.request_id)

    async def page(self, session_id: str, through: int | None, messages: int) -> HistoryPage:
        """The page that ends with record `through`, or with the last one."""
        payload: dict[str, Any] = {"sessionId": session_id, "maxMessages": messages}
        if through is not None:
            payload["beforeSeq"] = through + 1
        value = await self._caller.call("session.history", payload, LARGE)
        items = value.get("events") if isinstance(value, dict) else None
        if not isinstance(items, list):
            return shapes.read_page(None, None, "session.history")
        records = [item.get("event") if isinstance(item, dict) else None for item in items]
        return shapes.read_page(records, value.get("hasMore"), "session.history")

    async def rename(self, session_id: str, title: str) -> str:
        """The title as the host has recorded it."""
        payload = {"sessionId": session_id, "title": title}
        value = await self._caller.call("session.rename", payload, SLOW)
        return shapes.read_title(value, "session.rename")

    async def cancel(self, session_id: str) -> None:
        """End the session's running turn."""
        await self._caller.call("session.cancel", {"sessionId": session_id}, QUICK)
