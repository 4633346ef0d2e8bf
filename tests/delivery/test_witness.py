"""Whom to believe: what a host says, beside what its store on this disk holds."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from dsh_lsp.harness.delivery import witness as module
from dsh_lsp.harness.delivery.witness import HostAndStore
from dsh_lsp.harness.port import (
    HarnessError,
    NoHarnessError,
    Receipt,
    ReceiptState,
    UnknownRequestError,
    UnknownSessionError,
)
from dsh_lsp.sessions.logfile import Stop
from tests.support.log_script import Script, text
from tests.support.scripted_harness import CAPTURED, NOT_THERE, WAITING, ScriptedHarness
from tests.support.store_writer import write_log

pytestmark = pytest.mark.anyio

ENDED = Receipt(ReceiptState.ENDED, reason="it failed")
QUEUED = Receipt(ReceiptState.QUEUED, place=1)
NONE = NoHarnessError("none is running")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def message(request_id: str) -> dict[str, Any]:
    source = {"kind": "user", "rpcId": request_id}
    return {"content": [text("hi")], "source": source, "role": "user", "id": f"m-{request_id}"}


def write_store(root: Path, *stages: str) -> Path:
    """The log of a session `s` in whose log request `r1` has come as far as the last stage."""
    script = Script("s", version=4)
    script.policies()
    script.exchange("before", "yes")
    script.batch()
    for stage in stages:
        match stage:
            case "queued":
                data = {"target": "next-turn", "start": 0, "inserted": [message("r1")]}
                script.add("agent/inbox/spliced", data)
            case "taken":
                script.add("turn/start", {"turn": 2})
                data = {"target": "next-turn", "start": 0, "removedCount": 1, "inserted": []}
                script.add("agent/inbox/spliced", data)
            case "recorded":
                script.add("step/start", {"turn": 2, "step": 1})
                script.add("user/message", message("r1"), surfaceOp="append")
            case "ended":
                error = {"message": "it failed", "code": "UNKNOWN"}
                reason = {"kind": "error", "error": error}
                script.add("turn/end", {"turn": 2, "reason": reason})
    return write_log(root, script)


def times(root: Path) -> dict[Path, int]:
    """When each file and folder was changed."""
    return {path: path.stat().st_mtime_ns for path in root.rglob("*")}


WAY = ("queued", "taken", "recorded")
LOST = ("queued", "taken", "ended")

BELIEVED: list[tuple[Receipt | HarnessError, tuple[str, ...], ReceiptState, bool]] = [
    (CAPTURED, WAY, ReceiptState.CAPTURED, True),
    (CAPTURED, WAY[:2], ReceiptState.CAPTURED, False),  # in memory, and not written yet
    (CAPTURED, (), ReceiptState.CAPTURED, False),
    (ENDED, LOST, ReceiptState.ENDED, True),
    (ENDED, WAY[:2], ReceiptState.ENDED, False),
    (WAITING, WAY[:1], ReceiptState.WAITING, False),
    (QUEUED, (), ReceiptState.QUEUED, False),
    (NONE, WAY, ReceiptState.CAPTURED, True),
    (NONE, LOST, ReceiptState.ENDED, True),
    (NONE, WAY[:2], ReceiptState.WAITING, True),
    (NONE, WAY[:1], ReceiptState.QUEUED, True),
    (NOT_THERE, WAY, ReceiptState.CAPTURED, True),  # another host answers
    (UnknownSessionError("not here"), WAY[:1], ReceiptState.QUEUED, True),
]


@pytest.mark.parametrize(("said", "stages", "state", "durable"), BELIEVED)
async def test_whom_to_believe(
    tmp_path: Path,
    said: Receipt | HarnessError,
    stages: tuple[str, ...],
    state: ReceiptState,
    durable: bool,
) -> None:
    write_store(tmp_path, *stages)
    witness = HostAndStore(ScriptedHarness(seen=[said]), tmp_path)
    seen = await witness.sight("s", "r1")
    assert (seen.receipt.state, seen.durable) == (state, durable)


@pytest.mark.parametrize("said", [NOT_THERE, NONE, UnknownSessionError("not here")])
@pytest.mark.parametrize("store", ["none", "another session", "no trace", "damaged"])
async def test_what_a_disk_cannot_tell_is_what_the_host_says(
    tmp_path: Path, said: HarnessError, store: str
) -> None:
    if store != "none":
        log = write_store(tmp_path)
        if store == "damaged":
            log.write_bytes(log.read_bytes()[:-40] + b"x" * 40)
    session = "other" if store == "another session" else "s"
    witness = HostAndStore(ScriptedHarness(seen=[said]), tmp_path)
    with pytest.raises(type(said)):
        await witness.sight(session, "r1")


async def test_a_queue_without_a_host_says_why_it_stands_still(tmp_path: Path) -> None:
    write_store(tmp_path, "queued")
    witness = HostAndStore(ScriptedHarness(seen=[NONE]), tmp_path)
    receipt = (await witness.sight("s", "r1")).receipt
    assert (receipt.place, receipt.reason) == (1, "none is running")


async def test_looking_leaves_the_store_alone(tmp_path: Path) -> None:
    write_store(tmp_path, *WAY)
    before = times(tmp_path)
    witness = HostAndStore(ScriptedHarness(seen=[CAPTURED]), tmp_path)
    await witness.sight("s", "r1")
    with pytest.raises(UnknownRequestError):
        await HostAndStore(ScriptedHarness(seen=[NOT_THERE]), tmp_path).sight("s", "r2")
    assert times(tmp_path) == before


async def test_a_disk_that_hangs_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, disk_answers, told = threading.Event(), threading.Event(), threading.Event()

    def hanging(_inventory: object, _session_id: str, _request_id: str, stop: Stop) -> None:
        begun.set()
        if disk_answers.wait(10) and stop.is_set():
            told.set()

    monkeypatch.setattr(module, "trace_on_disk", hanging)
    witness = HostAndStore(ScriptedHarness(seen=[NONE]), tmp_path)
    async with anyio.create_task_group() as group:
        group.start_soon(witness.sight, "s", "r1")
        await anyio.to_thread.run_sync(begun.wait)
        group.cancel_scope.cancel()
    disk_answers.set()
    assert await anyio.to_thread.run_sync(told.wait, 10)
