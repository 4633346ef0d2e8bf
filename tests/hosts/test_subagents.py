"""Sessions that a host makes for subagents, quoted by it and by us."""

from __future__ import annotations

import json

import pytest

from tests.support.embedded import mention
from tests.support.hosts import Host
from tests.support.hosts_logs import await_quiet, await_turn, records
from tests.support.hosts_snapshots import BUDGETS, Quoted, assert_same_quote
from tests.support.hosts_wire import HostCaller

TASK = json.dumps({"description": "look", "prompt": "Look around"})


@pytest.mark.anyio
async def test_a_subagent_and_its_parent_are_quoted(host: Host, caller: HostCaller) -> None:
    parent = caller.create()
    await_turn(host, parent, caller.prompt(parent, f"Delegate\n!call subagent {TASK}"))
    await_quiet(host, parent)
    rows = caller.list_sessions().items()
    (child,) = (each for each, row in rows if row.get("parentSessionId") == parent)
    assert records(host, child), "the child has no log"

    target, budget = caller.create(), BUDGETS[host.release.log_format]
    for session, said in ((parent, "Delegate"), (child, "Look around")):
        quote = await assert_same_quote(host, target, f"Use {mention(session)}", budget)
        assert isinstance(quote, Quoted)
        assert said in quote.json
