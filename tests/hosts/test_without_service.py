"""Real hosts whose service for mentions is switched off."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest

from dsh_lsp.harness.port import ReceiptState
from tests.support.command import run
from tests.support.embedded import mention
from tests.support.hosts import Host
from tests.support.hosts_client import await_receipt, client, outgoing
from tests.support.hosts_logs import await_quiet, entry, records
from tests.support.hosts_releases import Release
from tests.support.hosts_wire import HostCaller
from tests.support.store_writer import tree

pytestmark = pytest.mark.anyio

SWITCHED_OFF = ({"id": "session-reference", "disabled": True},)


async def test_it_is_known_before_any_session_is_open(
    release: Release, start_host: Callable[..., Host], tmp_path: Path
) -> None:
    host = await anyio.to_thread.run_sync(start_host, release, SWITCHED_OFF)
    async with client(host, tmp_path / "logins") as harness:
        before = tree(host.home)
        assert await harness.resolves_references() is False
        assert tree(host.home) == before
        session = await harness.create_session(str(host.cwd))
        await harness.send(outgoing(session, "r", "Expanded text"))
        await await_receipt(harness, session, "r", ReceiptState.CAPTURED)
        assert await harness.resolves_references() is False


def test_the_command_line_refuses_or_expands(
    release: Release, start_host: Callable[..., Host], tmp_path: Path
) -> None:
    host = start_host(release, SWITCHED_OFF)
    named = ["--set", f"harness.url={host.url}", "--home", str(host.home)]
    assert run(tmp_path, "login", "-", stdin=host.link).status == 0
    first = send(tmp_path, "The pelican is grey.\n", *named)
    source = first["sessionId"]
    await_quiet(host, source)
    prompt = f"What colour, by {mention(source, 'the talk')}?\n"
    refused = run(tmp_path, "send", "-", "--target", "new", *named, stdin=prompt)
    assert refused.status == 1
    assert "cannot-resolve" in refused.err
    assert "--set send.expand=true" in refused.err
    assert list(HostCaller(host).list_sessions()) == [source]
    sent = send(tmp_path, prompt, *named, "--set", "send.expand=true")
    assert (sent["receipt"]["state"], sent["receipt"]["expanded"]) == ("captured", True)
    codes = {problem["code"] for problem in sent["problems"]}
    assert codes - {"stale-label"} == {"expanded-here"}
    await_quiet(host, sent["sessionId"])
    recorded = entry(records(host, sent["sessionId"]), sent["requestId"])
    assert recorded is not None
    (block,) = recorded["data"]["content"]
    assert "The pelican is grey." in block["text"]
    assert block["text"].endswith("What colour, by @the talk?\n")


def send(folder: Path, prompt: str, *options: str) -> Any:
    """What the command line answers to a prompt for a new session."""
    sent = run(folder, "send", "-", "--json", "--target", "new", *options, stdin=prompt)
    assert sent.status == 0, sent.err
    return json.loads(sent.out)
