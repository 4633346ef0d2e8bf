"""The recorded stores, and the runner that checks them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import run_stores
from tests.support.log_script import Script
from tests.support.store_writer import write_log, zstd_frames

RECORDED = Path(__file__).parents[3] / "shared" / "stores"

needs_recordings = pytest.mark.skipif(
    not RECORDED.is_dir(), reason=f"the recorded stores are not here ({RECORDED})"
)


def run(capsys, *folders: Path) -> tuple[int, list[str]]:
    code = run_stores.main([str(folder) for folder in folders])
    return code, capsys.readouterr().out.splitlines()


@needs_recordings
def test_every_recorded_store_reads_as_its_host_read_it(capsys):
    code, lines = run(capsys, RECORDED)
    assert lines[:-1] == []
    assert code == 0
    assert int(lines[-1].split()[0]) > 2_000


def source(session_id: str, *said: tuple[str, str]) -> str:
    conversation = [{"role": role, "text": text} for role, text in said]
    value = {"sessionId": session_id, "label": "L", "cwd": "/w", "capturedThroughSeq": 6}
    compact = json.dumps([value | {"conversation": conversation}], separators=(",", ":"))
    return compact.replace("<", "\\u003c")


def stats(session_id: str) -> dict[str, object]:
    counts = {"originalMessages": 2, "retainedMessages": 2, "omittedMessages": 0}
    return {
        "sessionId": session_id,
        "label": "L",
        "capturedFormatVersion": 4,
        "capturedThroughSeq": 6,
        "compacted": False,
        **counts,
        "omittedBytes": 0,
        "truncated": False,
        "inputIndex": 0,
    }


def record(folder: Path) -> dict[str, Any]:
    """Write a store and what a host would have made of it; returns the latter."""
    rows: list[dict[str, Any]] = []
    for created, session_id in enumerate(("one", "two"), start=1):
        script = Script(session_id, version=4, cwd="/w", created_at=created)
        script.exchange(f"<{session_id}>", "yes")
        write_log(folder / "sessions", script)
        rows.insert(0, {"sessionId": session_id, "label": session_id, "cwd": "/w"})
        rows[0]["createdAt"] = created
    completed = {"turnEnd": {"kind": "completed"}}
    surface = {"json": source("one", ("user", "<one>"), ("assistant", "yes"))}
    return {
        "version": "0.2.1rc2",
        "session_list": [{"sessionId": "one"}, {"sessionId": "two"}],
        "surfaces": {
            "one": surface | {"stats": stats("one")} | completed,
            "gone": {"turnEnd": {"kind": "error"}},
        },
        "candidates_fresh_target": {"/w": {"": rows, "TWO": rows[:1], "none": []}},
    }


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "0.2.1rc2"
    folder.mkdir()
    (folder / "expected.json").write_text(json.dumps(record(folder)))
    return folder


def edit(folder: Path, change) -> None:
    file = folder / "expected.json"
    expected = json.loads(file.read_text())
    change(expected)
    file.write_text(json.dumps(expected))


def test_a_store_that_agrees_passes(store, capsys):
    assert run(capsys, store) == (0, ["8 passed, 0 failed"])
    assert run(capsys, store.parent) == (0, ["8 passed, 0 failed"])
    assert run(capsys, store, store) == (0, ["16 passed, 0 failed"])


CHANGES = {
    "text": lambda e: e["surfaces"]["one"].update(json=source("one", ("user", "other"))),
    "stats": lambda e: e["surfaces"]["one"]["stats"].update(originalMessages=3),
    "format": lambda e: e["surfaces"]["one"]["stats"].update(capturedFormatVersion=3),
    "refusal": lambda e: e["surfaces"].update(two={"turnEnd": {"kind": "error"}}),
    "a session too many": lambda e: e["session_list"].append({"sessionId": "three"}),
    "a session too few": lambda e: e["session_list"].pop(),
    "order": lambda e: e["candidates_fresh_target"]["/w"][""].reverse(),
    "a match too many": lambda e: e["candidates_fresh_target"]["/w"].update(
        none=e["candidates_fresh_target"]["/w"][""]
    ),
    "a match too few": lambda e: e["candidates_fresh_target"]["/w"].update(TWO=[]),
    "name": lambda e: e["candidates_fresh_target"]["/w"][""][0].update(label="Another"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_store_that_differs_fails(store, capsys, name):
    edit(store, CHANGES[name])
    code, lines = run(capsys, store)
    assert code == 1
    assert lines[0].startswith("FAILED ")
    assert not lines[-1].endswith(" 0 failed")


def test_torn_logs_are_checked_in_a_copy(store, capsys):
    script = Script("two", version=4, cwd="/w", created_at=2)
    script.exchange("<two>", "yes")
    script.exchange("lost", "lost")
    name = "two.session.v4.jsonl.zstd"
    torn = store / "torn"
    torn.mkdir()
    (torn / name).write_bytes(b"".join(zstd_frames(script))[:-20])
    case = {"damage": "cut", "listed": True, "file": name, "turnEnd": {"kind": "completed"}}
    case |= {"json": source("two", ("user", "<two>"), ("assistant", "yes")), "stats": stats("two")}
    (torn / "expected.json").write_text(json.dumps({"two": case}))
    assert run(capsys, store) == (0, ["10 passed, 0 failed"])
    (torn / "expected.json").write_text(json.dumps({"two": case | {"listed": False}}))
    assert run(capsys, store)[0] == 1
    (torn / "expected.json").unlink()
    assert run(capsys, store)[0] == 1


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda folder: shutil.rmtree(folder), id="no folder"),
        pytest.param(lambda folder: (folder / "expected.json").unlink(), id="no expectations"),
        pytest.param(lambda folder: shutil.rmtree(folder / "sessions"), id="no sessions"),
        pytest.param(lambda folder: (folder / "expected.json").write_text("{"), id="no JSON"),
        pytest.param(
            lambda folder: edit(folder, lambda e: e.update(version="9.9.9")), id="unknown host"
        ),
        pytest.param(
            lambda folder: (folder / "expected.json").write_text('{"version": "0.2.1"}'),
            id="nothing to check",
        ),
        pytest.param(lambda folder: (folder.parent / "other").mkdir(), id="an unknown folder"),
    ],
)
def test_what_cannot_be_judged_is_a_failure(store, capsys, spoil):
    spoil(store)
    code, lines = run(capsys, store.parent)
    assert code == 1
    assert lines[-1].endswith(" 1 failed")


def test_an_empty_folder_is_a_failure(tmp_path, capsys):
    assert run(capsys, tmp_path)[0] == 1
