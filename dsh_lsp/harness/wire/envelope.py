"""The envelope that both wires share: a request as bytes, and the value in a reply."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import anyio.to_thread

from dsh_lsp.core.javascript import parse, stringify
from dsh_lsp.harness.wire.address import HostAddress
from dsh_lsp.harness.wire.errors import (
    GarbageError,
    HostError,
    HostFailedError,
    NotAHostError,
    RefusedError,
    UnknownMethodError,
)
from dsh_lsp.harness.wire.fence import refusal_by_status
from dsh_lsp.harness.wire.http import Bounds, Reply, Transport
from dsh_lsp.harness.wire.refusal import refusal

QUICK = Bounds(5.0, 1 << 20)
"""For answers that are small and cost a host little."""

LARGE = Bounds(30.0, 64 << 20)
"""For lists and histories."""

SLOW = Bounds(30.0, 1 << 20)
"""For what may open a session first, which takes seconds on a busy machine."""


_LONG = 1 << 18  # bytes of an answer that are read aside, so that keystrokes need not wait


class Caller:
    """Calls methods of one host, with the cookie that belongs to its address."""

    def __init__(self, transport: Transport, cookie: str | None) -> None:
        self._transport = transport
        self._cookie = cookie

    @property
    def address(self) -> HostAddress:
        """Where the host is."""
        return self._transport.address

    @property
    def cookie_headers(self) -> dict[str, str]:
        """The header that logs us in, if we have one."""
        return {"Cookie": self._cookie} if self._cookie else {}

    async def call(
        self, method: str, payload: Mapping[str, Any], bounds: Bounds, *, rpc_id: str | None = None
    ) -> Any:
        """The value that a method answers, None for none. Raises `HostError`.

        `rpc_id` matters only where the host records it.
        """
        rpc_id = rpc_id or str(uuid.uuid4())
        envelope = {
            "type": "client-request",
            "rpcId": rpc_id,
            "method": method,
            "payload": payload,
        }
        reply = await self._transport.post(
            f"/api/{method}", self.cookie_headers, stringify(envelope).encode(), bounds
        )
        if len(reply.body) < _LONG:
            return self._value(method, reply, rpc_id)
        return await anyio.to_thread.run_sync(self._value, method, reply, rpc_id)

    async def has(self, method: str) -> bool:
        """Whether the host has a method of services, which is not run. Raises `HostError`.

        Without its arguments it is refused before anything is done.
        """
        try:
            await self.call(method, {"args": {}}, QUICK)
        except UnknownMethodError:
            return False
        except RefusedError:
            pass
        return True

    async def page(self, target: str, bounds: Bounds) -> Reply:
        """What a GET of the host's own pages answers."""
        return await self._transport.get(target, self.cookie_headers, bounds)

    async def aclose(self) -> None:
        """Close what is open."""
        await self._transport.aclose()

    def _value(self, method: str, reply: Reply, rpc_id: str) -> Any:
        if reply.status != 200:
            raise self._failure(method, reply)
        try:
            envelope = parse(reply.body)
        except ValueError:
            raise GarbageError(f"{method}: the answer is not JSON") from None
        result = envelope.get("result") if isinstance(envelope, dict) else None
        if (
            not isinstance(result, dict)
            or envelope.get("type") != "server-response"
            or envelope.get("rpcId") != rpc_id
            or not isinstance(result.get("ok"), bool)
        ):
            raise GarbageError(f"{method}: the answer has not the shape of a host's answer")
        if not result["ok"]:
            raise refusal(result.get("error"), method)
        return result.get("value")

    def _failure(self, method: str, reply: Reply) -> HostError:
        address = self._transport.address
        refused = refusal_by_status(reply.status, address, had_cookie=self._cookie is not None)
        if refused is not None:
            return refused
        if reply.status == 404:
            return UnknownMethodError(f"the host at {address.url} has no method {method}")
        if reply.status >= 500:
            return HostFailedError(
                f"{method}: the host at {address.url} failed inside (status {reply.status})"
            )
        if reply.status in (400, 413, 415):
            code = f"http-{reply.status}"
            return RefusedError(
                f"{method}: the host refused the request (status {reply.status})",
                kind=code,
                code=code,
                words="",
            )
        return NotAHostError(
            f"what answers at {address.url} is not a DeepSeek Harness (status {reply.status})"
        )
