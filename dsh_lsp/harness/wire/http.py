"""One HTTP transport: no proxy, no redirect, no cookie jar, bounded in time and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import httpx

from dsh_lsp import __version__
from dsh_lsp.core.display import one_line
from dsh_lsp.harness.wire.address import HostAddress
from dsh_lsp.harness.wire.errors import (
    GarbageError,
    LostAnswerError,
    TooLargeError,
    UnreachableError,
)

CONNECT_SECONDS = 2.0

_MAX_REASON = 200


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long an answer may take, in seconds, and how large it may be, in bytes."""

    seconds: float
    size: int


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that was read to its end."""

    status: int
    headers: httpx.Headers
    body: bytes


class Transport:
    """Sends single requests to one address.

    Every request has a connection of its own: on a kept one, a broken connection would leave open
    whether the request had been sent. Nothing from the environment plays a part, except which
    certificates an `https` host may have.
    """

    def __init__(self, address: HostAddress) -> None:
        self.address = address
        secure = address.scheme == "https"
        self._pool = httpx.AsyncHTTPTransport(
            verify=secure, trust_env=secure, limits=httpx.Limits(max_keepalive_connections=0)
        )

    async def get(self, target: str, headers: Mapping[str, str], bounds: Bounds) -> Reply:
        """The answer to a GET. Raises `UnreachableError`, `LostAnswerError` or `GarbageError`."""
        return await self._exchange("GET", target, headers, b"", bounds)

    async def post(
        self, target: str, headers: Mapping[str, str], body: bytes, bounds: Bounds
    ) -> Reply:
        """The answer to a POST of JSON. Raises like `get`."""
        headers = {**headers, "Content-Type": "application/json"}
        return await self._exchange("POST", target, headers, body, bounds)

    async def aclose(self) -> None:
        """Close what is open."""
        await self._pool.aclose()

    async def _exchange(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes, bounds: Bounds
    ) -> Reply:
        progress = _Progress()
        request = httpx.Request(
            method,
            self.address.url + target,
            headers={
                "Host": self.address.authority,
                "User-Agent": f"dsh-lsp/{__version__}",
                "Accept-Encoding": "identity",
                **headers,
            },
            content=body,
            extensions={
                "timeout": {"connect": CONNECT_SECONDS, "pool": bounds.seconds},
                "trace": progress.note,
            },
        )
        try:
            with anyio.fail_after(bounds.seconds):
                return await self._read(request, bounds)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
            raise self._failure(error, progress, bounds) from error

    async def _read(self, request: httpx.Request, bounds: Bounds) -> Reply:
        response = await self._pool.handle_async_request(request)
        try:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise GarbageError(f"the host at {self.address.url} answers in a packed form")
            body = bytearray()
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > bounds.size:
                    raise TooLargeError(
                        f"the host at {self.address.url} answers with more than "
                        f"{bounds.size:,} bytes"
                    )
            return Reply(response.status_code, response.headers, bytes(body))
        finally:
            with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                await response.aclose()

    def _failure(
        self, error: Exception, progress: _Progress, bounds: Bounds
    ) -> UnreachableError | LostAnswerError:
        late = isinstance(error, TimeoutError | httpx.TimeoutException)
        if not progress.sending:
            reason = "no connection in time" if late else _reason(error)
            because = "" if reason == _NOBODY_LISTENS else f": {reason}"
            return UnreachableError(f"no harness answers at {self.address.url}{because}")
        if late:
            return LostAnswerError(
                f"the host at {self.address.url} did not answer within {bounds.seconds:g} seconds"
            )
        return LostAnswerError(
            f"the connection to {self.address.url} broke before the answer was there: "
            f"{_reason(error)}"
        )


class _Progress:
    """Whether any byte of the request may have left."""

    def __init__(self) -> None:
        self.sending = False

    async def note(self, step: str, _info: Mapping[str, Any]) -> None:
        if ".send_request_headers." in step:
            self.sending = True


_NOBODY_LISTENS = "All connection attempts failed"  # what httpx says of it


def _reason(error: Exception) -> str:
    """The innermost words, since httpx's own are often none."""
    while error.__cause__ is not None and isinstance(error.__cause__, Exception):
        error = error.__cause__
    return one_line(str(error))[:_MAX_REASON] or type(error).__name__
