"""Reads the logs of a running host without our own reader, and waits for what they shall hold."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import zstandard

from tests.support.hosts import Host

T = TypeVar("T")

WAIT_LIMIT = 60.0
"""Seconds that anything awaited may take."""


def eventually(look: Callable[[], T | None], what: str, limit: float = WAIT_LIMIT) -> T:
    """The first answer of `look` that is not None or False."""
    deadline = time.monotonic() + limit
    while not (seen := look()):
        assert time.monotonic() < deadline, f"not within {limit:.0f} s: {what}"
        time.sleep(0.03)
    return seen


def log_path(host: Host, session_id: str) -> Path | None:
    """The log of a session whose id needs no escapes; None until it is there."""
    found = sorted((host.home / "sessions").glob(f"*/{session_id}/session*.jsonl.zstd"))
    return found[-1] if found else None


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The header and the records in whole frames; a frame that is still being written is left."""
    data, text = path.read_bytes(), b""
    while data:
        decoder = zstandard.ZstdDecompressor().decompressobj()
        try:
            frame = decoder.decompress(data)
        except zstandard.ZstdError:
            break
        if not decoder.eof:
            break
        text += frame
        data = decoder.unused_data
    return [json.loads(line) for line in text.split(b"\n") if line]


def records(host: Host, session_id: str) -> list[dict[str, Any]]:
    """The records of a session that are on disk, its header left out."""
    path = log_path(host, session_id)
    return lines_of(path)[1:] if path is not None else []


def entry(log: list[dict[str, Any]], request_id: str) -> dict[str, Any] | None:
    """The record of the message that a request became."""
    for record in log:
        if record["type"] == "user/message" and _source(record).get("rpcId") == request_id:
            return record
    return None


def accepted(log: list[dict[str, Any]], request_id: str) -> dict[str, Any] | None:
    """The record by which a request entered the inbox."""
    for record in log:
        if record["type"] == "agent/inbox/spliced":
            for message in record["data"].get("inserted", ()):
                if message["source"].get("rpcId") == request_id:
                    return record
    return None


def snapshot(log: list[dict[str, Any]], request_id: str) -> dict[str, Any] | None:
    """The record of the snapshot that follows the message of a request."""
    message = entry(log, request_id)
    if message is None:
        return None
    for record in log:
        if record["type"] == "user/message" and record["seq"] > message["seq"]:
            return record if _source(record)["kind"] == "session-reference" else None
    return None


def pending(log: list[dict[str, Any]]) -> list[str]:
    """The requests that wait in the inbox at the end of a log, steers first."""
    inbox = _Inbox()
    for record in log:
        inbox.apply(record)
    return inbox.requests


def turn_end(log: list[dict[str, Any]], request_id: str) -> dict[str, Any] | None:
    """The end of the turn that took a request, whether its message was recorded or lost."""
    inbox = _Inbox()
    seen = False
    for record in log:
        inbox.apply(record)
        waits = request_id in inbox.requests
        seen = seen or waits
        if seen and not waits and record["type"] == "turn/end":
            return record
    return None


class _Inbox:
    """What waits, as far as a log has been read."""

    def __init__(self) -> None:
        self._queues: dict[str, list[str]] = {"next-step": [], "next-turn": []}

    @property
    def requests(self) -> list[str]:
        return [request for queue in self._queues.values() for request in queue]

    def apply(self, record: dict[str, Any]) -> None:
        if record["type"] != "agent/inbox/spliced":
            return
        data = record["data"]
        start, removed = data["start"], data.get("removedCount", 0)
        inserted = [each["source"].get("rpcId", "") for each in data.get("inserted", ())]
        self._queues[data["target"]][start : start + removed] = inserted


def await_turn(
    host: Host, session_id: str, request_id: str, limit: float = WAIT_LIMIT
) -> dict[str, Any]:
    """Wait until the turn of a request has ended on disk; the reason that it ended with."""
    end = eventually(
        lambda: turn_end(records(host, session_id), request_id),
        f"the turn of {request_id}",
        limit,
    )
    reason = end["data"]["reason"]
    assert isinstance(reason, dict)
    return reason


def await_quiet(host: Host, session_id: str, span: float = 0.5) -> None:
    """Wait until nothing has been written to a log for `span` seconds, twice a host's delay."""
    size, since = -1, time.monotonic()

    def quiet() -> bool:
        nonlocal size, since
        path = log_path(host, session_id)
        now = path.stat().st_size if path is not None else 0
        if now != size:
            size, since = now, time.monotonic()
        return time.monotonic() - since > span

    eventually(quiet, f"the log of {session_id} rests")


def _source(record: dict[str, Any]) -> dict[str, Any]:
    source = record["data"]["source"]
    assert isinstance(source, dict)
    return source
