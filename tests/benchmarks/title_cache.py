"""The titles of sessions that never ran in a host, where hosts of 0.1.2 and later look for them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import orjson

from dsh_lsp.sessions.layout import encode_segment
from tests.benchmarks.big_logs import Written

_VERSION = 7
_TITLE_VERSION = 1
_SUBAGENT_VERSION = 2


def write_titles(home: Path, logs: Iterable[Written]) -> None:
    """Write the projections of a host of format 4 that candidates are made of, for each log.

    Hosts keep others beside them, some kilobytes for each session.
    """
    folder = home / "storages" / "session_projcache" / "sessions"
    folder.mkdir(parents=True)
    for log in logs:
        identity = {"formatVersion": 4, "createdAt": log.created_at, "cwd": log.cwd}
        identity |= {"isSeeded": False, "inheritedEventCount": 0}
        last = log.events - 1
        rows = {
            "title": {"ver": _TITLE_VERSION, "seq": last, "val": log.title},
            "subagent": {"ver": _SUBAGENT_VERSION, "seq": last, "val": {}},
        }
        record = {"version": _VERSION, "record": {"identity": identity, "rows": rows}}
        path = folder / f"{encode_segment(log.session_id)}.json"
        path.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2))
