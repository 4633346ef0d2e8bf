"""The snapshots that a host recorded, beside those that we make of the same sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio

from dsh_lsp.core.envelope import CLOSING_TAG, OPENING_TAG
from dsh_lsp.core.failures import BudgetExceededError
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.event_types import STRICT_0_1_0, STRICT_0_2_1, TypeRule
from dsh_lsp.core.mentions import parse
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from dsh_lsp.sessions.store import SessionStore
from tests.support.hosts import Host
from tests.support.hosts_logs import await_turn, records, snapshot
from tests.support.hosts_wire import HostCaller

BUDGETS = {0: 65_536, 4: 800_000}
"""What a host grants each source as shipped, by the format of its logs."""

RULES: Mapping[int, TypeRule] = {0: STRICT_0_1_0, 4: STRICT_0_2_1}
"""The event types that a host knows, by the format of its logs."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a snapshot holds: the JSON between the tags, and the facts on each of its sources."""

    json: str
    references: tuple[Mapping[str, Any], ...]


NO_ROOM = "the sources do not fit into the budget"
"""In place of a snapshot, when even empty texts would be too big."""


async def our_quote(host: Host, target_id: str, prompt: str, budget: int) -> Quoted | str:
    """The snapshot that we make of the sessions that a prompt mentions, from the host's store."""
    rule = RULES[host.release.log_format]
    store = SessionStore(host.home / "sessions", rule=rule)
    resolver = SessionReferenceResolver(store, limits=Limits(max_reference_bytes=budget))
    readable, references = parse(prompt)
    try:
        target = Target(target_id, str(host.cwd))
        prepared = await resolver.prepare(target, readable, references)
    except BudgetExceededError:
        return NO_ROOM
    assert prepared.context is not None
    return _quoted(prepared.context.text, prepared.context.source, host)


def host_quote(host: Host, caller: HostCaller, target_id: str, prompt: str) -> Quoted | str:
    """The snapshot that the host records for a prompt."""
    request = caller.prompt(target_id, prompt)
    reason = await_turn(host, target_id, request)
    if "byte budget" in reason.get("error", {}).get("message", ""):
        return NO_ROOM
    assert reason == {"kind": "completed"}, reason
    return recorded_quote(host, target_id, request)


def recorded_quote(host: Host, target_id: str, request: str) -> Quoted:
    """The snapshot that the host has recorded for a request."""
    record = snapshot(records(host, target_id), request)
    assert record is not None, "the host recorded no snapshot"
    (block,) = record["data"]["content"]
    return _quoted(block["text"], record["data"]["source"], host)


async def assert_same_quote(host: Host, target_id: str, prompt: str, budget: int) -> Quoted | str:
    """The snapshot that both make; fails when they differ.

    The host may have captured events that reach the disk a moment later, so ours has some time.
    """
    theirs = host_quote(host, HostCaller(host), target_id, prompt)
    for _ in range(100):
        ours = await our_quote(host, target_id, prompt, budget)
        if ours == theirs:
            break
        await anyio.sleep(0.02)
    assert ours == theirs
    return theirs


def _quoted(text: str, source: Mapping[str, Any], host: Host) -> Quoted:
    quoted = text.split(f"{OPENING_TAG}\n", 1)[1].split(f"\n{CLOSING_TAG}", 1)[0]
    references = tuple(dict(reference) for reference in source["references"])
    if not host.release.log_format:
        for reference in references:
            reference.pop("capturedFormatVersion", None)  # such a host does not tell
    return Quoted(quoted, references)
