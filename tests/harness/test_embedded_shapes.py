"""The records of our logs beside those that a real host recorded: the same fields, no others."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.embedded.title import fallback_title
from dsh_lsp.harness.port import ReceiptState
from tests.support.embedded import (
    Failing,
    Held,
    bench,
    events_of,
    frames_of,
    log_path,
    mention,
    types,
)

RECORDED = Path(__file__).parents[2].parent / "shared" / "stores" / "0.2.1rc2" / "sessions"

needs_recordings = pytest.mark.skipif(
    not RECORDED.is_dir(), reason="the recorded stores are not beside the project"
)

OPTIONAL = {"outcome", "clientTimeZone", "status", "sourceEventSeq", "replayState", "inherited"}
"""Fields that the format knows and the recordings have always, or never."""

ENDINGS = {"blocked", "interrupted"}
"""Ends of turns that were seen, but not in this store."""

Names = tuple[str, ...]


@pytest.fixture(scope="module")
def recorded() -> dict[Names, list[Names]]:
    """Every object of the recorded logs by where it stands: the names of its members, in order."""
    found: dict[Names, list[Names]] = defaultdict(list)
    for path in RECORDED.glob("*/*/*.zstd"):
        for record in records(path):
            for place, keys in objects(record, (record["type"],)):
                if keys not in found[place]:
                    found[place].append(keys)
    return found


@pytest.fixture
async def ours(tmp_path) -> list[dict[str, Any]]:
    """Records of everything that the embedded harness can do."""
    responder = Held()
    found: list[dict[str, Any]] = []
    async with bench(tmp_path, responder=responder) as desk:
        session = await desk.session()
        await desk.send(session, "one")
        await responder.entered()
        for text in ("two", "three", "four"):
            await desk.send(session, text)
        await desk.harness.edit(session, await desk.message_id(session, "two"), "second")
        await desk.harness.steer(session, await desk.message_id(session, "three"))
        await desk.harness.remove(session, await desk.message_id(session, "four"))
        responder.release(3)
        await desk.idle(session)
        await desk.harness.compact(session, "so far")
        await desk.harness.rename(session, "a name")
        target = await desk.session()
        responder.release()
        await desk.ask(target, f"see {mention(session)}")
        await desk.ask(target, f"see {mention('unknown')}")
        await desk.send(target, "stop")
        await responder.entered()
        await desk.harness.cancel(target)
        await desk.idle(target)
        paths = [log_path(desk.harness.store, each) for each in (session, target)]
    async with bench(tmp_path, responder=Failing(RuntimeError("no"))) as desk:
        await desk.ask(target, "again")
    for path in paths:
        found += records(path)
    return found


@needs_recordings
@pytest.mark.anyio
async def test_our_records_have_the_members_of_recorded_ones(recorded, ours):
    seen: set[str] = set()
    for record in ours:
        seen.add(record["type"])
        for place, keys in objects(record, (record["type"],)):
            if ENDINGS & set(place):
                continue
            assert place in recorded, place
            allowed = {key for known in recorded[place] for key in known}
            needed = set.intersection(*(set(known) for known in recorded[place]))
            assert set(keys) - OPTIONAL <= allowed, (place, keys)
            assert needed - OPTIONAL <= set(keys), (place, keys)
    assert seen == {
        *("session", "permission/preset", "sandbox/mode", "approval/policy"),
        *("agent/inbox/spliced", "turn/start", "turn/end", "step/start", "step/end"),
        *("system/message", "user/message", "assistant/message", "assistant/attempt"),
        *("session/title", "session/end-seed", "command/run", "command/done"),
        *("compaction/start", "compaction/summary", "compaction/end"),
    }


@needs_recordings
@pytest.mark.anyio
async def test_our_members_stand_in_the_order_of_recorded_ones(recorded, ours):
    checked = 0
    for record in ours:
        for place, keys in objects(record, (record["type"],)):
            orders = [[key for key in known if key in keys] for known in recorded.get(place, [])]
            if orders:
                kept = {key for order in orders for key in order}
                assert [key for key in keys if key in kept] in orders, place
                checked += 1
    assert checked > 100


@needs_recordings
def test_titles_of_recorded_prompts_come_out_the_same():
    checked = 0
    for path in RECORDED.glob("*/*/*.zstd"):
        events = events_of(path)
        for event in events:
            data = event["data"]
            if event["type"] != "session/title" or data["source"]["kind"] != "fallback":
                continue
            message = events[data["messageSeqs"][0]]["data"]
            text = "\n".join(block["text"] for block in message["content"])
            assert fallback_title(text) == data["title"]
            checked += 1
    assert checked > 10


@needs_recordings
def test_the_ledger_reads_recorded_logs():
    waiting = {}
    for path in RECORDED.glob("*/*/*.zstd"):
        ledger = Ledger()
        for event in events_of(path):
            ledger.apply(event)
        for request_id, request in ledger.requests.items():
            receipt = ledger.receipt(request_id)
            assert receipt is not None
            if receipt.state is ReceiptState.QUEUED:
                waiting[request.texts[0]] = receipt.place
            else:
                assert receipt.state is ReceiptState.CAPTURED, request
    assert waiting == {
        "Steered while running": 1,
        "Queued while running [[say queued answer]]": 2,
    }


@needs_recordings
@pytest.mark.anyio
async def test_every_recorded_session_can_be_continued(tmp_path):
    """A copy of the store, made for the length of this test, as the home of the harness."""
    for path in RECORDED.glob("*/*/*.zstd"):
        folder = tmp_path / "sessions" / path.relative_to(RECORDED).parent
        folder.mkdir(parents=True)
        (folder / path.name).write_bytes(path.read_bytes())
    async with bench(tmp_path) as desk:
        listing = await desk.harness.list_sessions()
        assert listing.faults == ()
        assert len(listing.sessions) > 20
        for entry in listing.sessions:
            session = entry.header.id
            before = len(events_of(Path(entry.origin)))
            receipt = await desk.ask(session, "One more thing")
            assert receipt.state is ReceiptState.CAPTURED, session
            added = types(events_of(Path(entry.origin))[before:])
            assert added[: added.index("session/end-seed")] in (
                [],
                ["step/end", "turn/end"],
            ), session
            live = await desk.harness.read_surface(session)
            assert desk.surface(session).nodes == live.nodes


def records(path: Path) -> list[dict[str, Any]]:
    text = b"".join(frames_of(path)).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def objects(
    value: Any, place: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each object within a value: where it stands, by kind where it has one, and its members."""
    if isinstance(value, list):
        for item in value:
            yield from objects(item, place)
    if isinstance(value, dict):
        kind = value.get("kind") or (value.get("type") if len(place) > 1 else None)
        here = (*place, kind) if isinstance(kind, str) else place
        yield here, tuple(value)
        for key, member in value.items():
            yield from objects(member, (*here, key))
