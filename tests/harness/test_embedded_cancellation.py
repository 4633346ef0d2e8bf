"""Callers that are cancelled in the middle of a call: a request is recorded whole or not at all."""

from __future__ import annotations

import asyncio

import pytest

from dsh_lsp.harness.port import Mode, Outgoing
from tests.support.embedded import Held, bench, types

pytestmark = pytest.mark.anyio

MOMENTS = range(0, 60, 2)
"""After how many turns of the event loop a caller is cancelled."""


async def cancelled_after(moment, call):
    """Run a call as a task and cancel the task as a language server does."""
    task = asyncio.create_task(call)
    for _ in range(moment):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()


async def test_a_cancelled_send_is_recorded_and_run_or_not_there_at_all(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session()
        for moment in MOMENTS:
            outgoing = Outgoing(f"r{moment}", session, f"prompt {moment}", Mode.QUEUE)
            await cancelled_after(moment, desk.harness.send(outgoing))
            await desk.harness.rename(session, "behind what is being written")
            await desk.idle(session)
            assert desk.surface(session) == await desk.harness.read_surface(session)
            assert await desk.waiting(session) == []
        events = desk.events(session)
        assert types(events).count("turn/start") == types(events).count("turn/end")
        sent = [event for event in events if event["type"] == "agent/inbox/spliced"]
        assert types(events).count("user/message") == len(sent) // 2


async def test_a_cancelled_opening_leaves_no_session_half_open(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
    for moment in MOMENTS:
        async with bench(tmp_path) as again:
            await cancelled_after(moment, again.harness.rename(session, f"name {moment}"))
        async with bench(tmp_path) as after:  # whoever held the lock has let go
            await after.harness.rename(session, "name")
            assert after.surface(session) == await after.harness.read_surface(session)


async def test_a_cancelled_creation_can_be_listed_or_is_not_there(tmp_path):
    async with bench(tmp_path) as desk:
        for moment in MOMENTS:
            await cancelled_after(moment, desk.harness.create_session("/w"))
    async with bench(tmp_path) as desk:
        listing = await desk.harness.list_sessions()
        assert listing.faults == ()
        for entry in listing.sessions:
            await desk.ask(entry.header.id, "hello")


async def test_a_turn_that_is_cancelled_at_any_moment_is_closed(tmp_path):
    responder = Held()
    responder.release(1000)
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        for moment in MOMENTS:
            await desk.send(session, f"prompt {moment}")
            for _ in range(moment):
                await asyncio.sleep(0)
            await desk.harness.cancel(session)
            await desk.idle(session)
            events = types(desk.events(session))
            assert events.count("turn/start") == events.count("turn/end")
            assert events.count("step/start") == events.count("step/end")
        await desk.ask(session, "last")
        assert desk.surface(session) == await desk.harness.read_surface(session)
        assert await desk.waiting(session) == []


async def test_a_compaction_that_is_cancelled_at_any_moment_is_whole_or_undone(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("one")
        for moment in MOMENTS:
            await desk.ask(session, f"prompt {moment}")
            await cancelled_after(moment, desk.harness.compact(session, "summary"))
        await desk.ask(session, "last")
        events = types(desk.events(session))
        for each in ("command/run", "compaction/start", "compaction/end", "command/done"):
            assert events.count(each) == events.count("command/run")
        assert desk.surface(session) == await desk.harness.read_surface(session)


async def test_closing_at_any_moment_leaves_logs_that_go_on(tmp_path):
    for moment in MOMENTS:
        async with bench(tmp_path / str(moment)) as desk:
            session = await desk.session()
            await desk.send(session, "one")
            for _ in range(moment):
                await asyncio.sleep(0)
        events = types(desk.events(session))
        assert events.count("turn/start") == events.count("turn/end")
        async with bench(tmp_path / str(moment)) as again:
            await again.ask(session, "two")
            texts = [entry.text for entry in await again.harness.transcript(session)]
            assert "two" in texts
            assert again.surface(session) == await again.harness.read_surface(session)
