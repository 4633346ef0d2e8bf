"""The logs of the benchmarks in front of real hosts, which must take them for their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_lsp.core.mentions import format_mention
from tests.benchmarks.big_logs import LARGE, SMALL, TALK, Writer
from tests.benchmarks.log_pens import OldPen, Pen
from tests.support.hosts import Host
from tests.support.hosts_releases import NEWER, NO_TITLES, OLDER, Release
from tests.support.hosts_snapshots import BUDGETS, Quoted, assert_same_quote
from tests.support.hosts_wire import HostCaller


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("release", "pen"),
    [
        pytest.param(OLDER, OldPen, id=OLDER.version),
        pytest.param(NEWER, Pen, id=NEWER.version),
    ],
)
async def test_a_host_quotes_them_as_we_do(
    release: Release, pen: type[Pen], tmp_path: Path, start_host: Callable[..., Host]
) -> None:
    writer, sessions = Writer(pen=pen), tmp_path / "sessions"
    logs = [
        writer.log(sessions, f"session-{number}", 1_000, str(tmp_path), 50_000, proportions)
        for number, proportions in enumerate((SMALL, LARGE, TALK))
    ]
    host = start_host(release, NO_TITLES, sessions=sessions)
    caller = HostCaller(host)
    assert {log.session_id for log in logs} <= set(caller.list_sessions())
    for log in logs:
        prompt = f"Use {format_mention(log.session_id, log.title)}"
        budget = BUDGETS[release.log_format]
        quote = await assert_same_quote(host, caller.create(), prompt, budget)
        assert isinstance(quote, Quoted)
