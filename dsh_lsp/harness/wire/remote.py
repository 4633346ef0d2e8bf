"""The newer wire, of 0.1.2 and later: slash names and named arguments (docs/harness.md)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from typing import Any

import anyio.to_thread

from dsh_lsp.core.javascript import MAX_SAFE_INTEGER
from dsh_lsp.core.log.chunk_rows import ROW_TYPES
from dsh_lsp.harness.port import Outgoing
from dsh_lsp.harness.wire import shapes
from dsh_lsp.harness.wire.envelope import LARGE, SLOW, Caller
from dsh_lsp.harness.wire.errors import GarbageError, RefusedError
from dsh_lsp.harness.wire.refusal import NOT_FOUND, refusal
from dsh_lsp.harness.wire.services import HostServices
from dsh_lsp.harness.wire.wire import Dialect
from dsh_lsp.sessions.hosted import HistoryPage, HostRow

DIALECT_0_1_2 = Dialect("0.1.2", log_format=0, has_projections=False)
DIALECT_0_1_5 = Dialect("0.1.5", log_format=3, has_projections=False)
DIALECT_0_2_1 = Dialect("0.2.1", log_format=4, has_projections=True)

NOBODY = "dsh-lsp-asks-for-no-session"
"""An id for questions whose answer does not matter."""

_LAST_SEQ = re.compile(r"past cursor (-?[0-9]{1,16})")
_ROW_PREFIX = "chunkrow/"


class Remote(HostServices):
    """A host of 0.1.2 or later, logged in."""

    def __init__(self, caller: Caller, dialect: Dialect, version: str | None = None) -> None:
        super().__init__(caller)
        self._dialect = dialect
        self.version = version or dialect.version
        self.log_format = dialect.log_format

    async def check(self) -> None:
        """Return when the host has answered anything."""
        with contextlib.suppress(RefusedError):  # a refusal is an answer
            await self._page(NOBODY, -1, 1)

    async def rows(self) -> tuple[HostRow, ...]:
        """Every session that the host lists."""
        value = await self._caller.call("session/list", {"args": {"_request": {}}}, LARGE)
        return await anyio.to_thread.run_sync(shapes.read_rows, value, "session/list")

    async def create(self, cwd: str | None) -> str:
        """A new session's id."""
        request = {} if cwd is None else {"cwd": cwd}
        value = await self._request("session/create", request)
        return shapes.read_created(value, "session/create")

    async def prompt(self, outgoing: Outgoing) -> None:
        """Return when the host has accepted it."""
        request: dict[str, Any] = {
            "requestId": outgoing.request_id,
            "sessionId": outgoing.session_id,
            "mode": outgoing.mode.value,
            "content": [{"type": "text", "text": outgoing.text}],
        }
        if outgoing.time_zone is not None:
            request["clientTimeZone"] = outgoing.time_zone
        await self._request("session/prompt", request)

    async def page(self, session_id: str, through: int | None, messages: int) -> HistoryPage:
        """The page that ends with record `through`, or with the last one."""
        if through is None:
            through = await self._last_seq(session_id)
        value = await self._page(session_id, through, messages)
        items = value.get("records") if isinstance(value, dict) else None
        if not isinstance(items, list):
            return shapes.read_page(None, None, "session/page")
        records = [_record(item) for item in items]
        return shapes.read_page(records, value.get("hasMore"), "session/page")

    async def rename(self, session_id: str, title: str) -> str:
        """The title as the host has recorded it."""
        value = await self._request("session/rename", {"sessionId": session_id, "title": title})
        return shapes.read_title(value, "session/rename")

    async def cancel(self, session_id: str) -> None:
        """End the session's running turn."""
        await self._request("session/cancel", {"sessionId": session_id})

    async def _request(self, method: str, request: Mapping[str, Any]) -> Any:
        return await self._caller.call(method, {"args": {"request": request}}, SLOW)

    async def _page(self, session_id: str, through: int, messages: int) -> Any:
        request = {
            "address": {"kind": "session", "sessionId": session_id},
            "throughSeq": through,
            "maxMessages": messages,
        }
        return await self._caller.call("session/page", {"args": {"request": request}}, LARGE)

    async def _last_seq(self, session_id: str) -> int:
        """The number of the last record, without opening the session."""
        if self._dialect.has_projections:
            payload = {"args": {"request": {"sessionId": session_id}}}
            value = await self._caller.call("session/projections", payload, LARGE)
            if value is None:
                not_found = {"code": f"session/{NOT_FOUND}", "message": "no such session"}
                raise refusal(not_found, "session/projections")
            last = shapes.read_last_seq(value, "session/projections")
            if last is not None:
                return last
        # Older hosts tell it nowhere but in the refusal of a page that lies beyond the end.
        try:
            await self._page(session_id, MAX_SAFE_INTEGER, 1)
        except RefusedError as error:
            told = _LAST_SEQ.search(error.words)
            if told is None:
                raise
            return int(told[1])
        raise GarbageError("session/page: the host has a page beyond the end of every log")


def _record(item: Any) -> Any:
    """A record as a log of the host's format would hold it."""
    event = item.get("event") if isinstance(item, dict) else None
    if not isinstance(event, dict):
        return None
    kind = event.get("type")
    if isinstance(kind, str) and kind.removeprefix(_ROW_PREFIX) in ROW_TYPES:
        return {
            "type": kind.removeprefix(_ROW_PREFIX),
            "seq0": event.get("seq"),
            "time0": event.get("time"),
            "data": event.get("data"),
        }
    return event
