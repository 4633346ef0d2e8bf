"""What the server works with; `app` builds it, so the server knows no concrete store or host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from dsh_lsp.harness.port import Delivery, Description, Files, Harness, HarnessError
from dsh_lsp.sessions.query import SessionQuery
from dsh_lsp.settings import Settings


async def _nothing_to_close() -> None:
    return None


async def _no_login(_link: str) -> Description:
    raise HarnessError("with these settings there is no harness to log in to")


async def _no_start(_cwd: str | None) -> Description:
    raise HarnessError("with these settings dsh-lsp starts no harness; set dsh.harness.mode")


async def _no_context_window() -> int | None:
    return None


class Warm(Protocol):
    """Reads titles ahead, those of sessions of `cwd` first; `progress` is told done and total."""

    async def __call__(
        self, progress: Callable[[int, int], None], *, cwd: str | None = None
    ) -> None:
        """Returns when all titles are known. Raises `ReadFailedError`."""
        ...


async def _nothing_to_warm(
    progress: Callable[[int, int], None],  # noqa: ARG001
    *,
    cwd: str | None = None,  # noqa: ARG001
) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Services:
    """The parts behind one set of settings. `query` covers stored and live sessions.

    `targets` has only the sessions that prompts can go to; None when those are all of `query`.

    Prompts go to the harness through `delivery`, which keeps them in an outbox meanwhile.

    `changes` starts an endless stream with one item, of any kind, each time that sessions may
    have changed; None when nothing watches. `warm` reads titles ahead of the keys that need them.
    `context_window` is the latest one that any session of the store tells, in tokens. `login` takes
    the link that a harness printed, and `start` the cwd of a harness to start; both raise
    `HarnessError`. `aclose` ends whatever the parts hold; it is awaited once. `leave` is
    awaited after it when no others follow.
    """

    query: SessionQuery
    harness: Harness
    delivery: Delivery
    files: Files
    store: str  # the path of the session store, for people
    changes: Callable[[], AsyncIterator[object]] | None = None
    warm: Warm = _nothing_to_warm
    context_window: Callable[[], Awaitable[int | None]] = _no_context_window
    login: Callable[[str], Awaitable[Description]] = _no_login
    start: Callable[[str | None], Awaitable[Description]] = _no_start
    aclose: Callable[[], Awaitable[None]] = _nothing_to_close
    leave: Callable[[], Awaitable[None]] = _nothing_to_close
    targets: SessionQuery | None = None


Connect = Callable[[Settings], Services]
"""Builds the services for settings; called again when settings that they rest on change."""
