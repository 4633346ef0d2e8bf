"""The language server beside hosts that hang, die, lie or are slow: it goes on from the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_wires import FakeHost
from tests.support.log_script import Script
from tests.support.raw_client import RawClient, raw_client
from tests.support.scripted_host import Script as HostScript
from tests.support.scripted_host import hang, response, scripted_host
from tests.support.store_writer import write_log

pytestmark = pytest.mark.anyio

URI = "untitled:prompt"

SECONDS = 8.0
"""Far below what a host is given for an answer, and far above what the store needs."""


def store(tmp_path: Path) -> str:
    script = Script("session-a", version=4)
    script.exchange("Hello", "World")
    script.title("A title")
    write_log(tmp_path / "home" / "sessions", script)
    return str(tmp_path / "home")


async def start(client: RawClient, home: str, url: str) -> None:
    await client.initialize(
        initializationOptions={"dsh": {"home": home, "harness": {"url": url}}},
        capabilities={"textDocument": {"completion": {}, "hover": {}, "diagnostic": {}}},
    )


async def soon(work: Any) -> Any:
    return await asyncio.wait_for(work, SECONDS)


BAD_HOSTS: list[Any] = [
    pytest.param(hang, id="hangs"),
    pytest.param(lambda _: None, id="closes"),
    pytest.param(lambda _: response(200, b"\xff" * 10_000), id="noise"),
    pytest.param(lambda _: response(500), id="fails"),
    pytest.param(lambda _: response(403), id="fence"),
    pytest.param(FakeHost("0.2.1"), id="stranger"),
]


@pytest.mark.parametrize("script", BAD_HOSTS)
async def test_everything_but_sending_goes_on(tmp_path: Path, script: HostScript) -> None:
    home = store(tmp_path)
    async with scripted_host(script) as host, raw_client() as client:
        await start(client, home, host.url)
        client.open(URI, "See @A")
        for _ in range(3):
            at = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 6}}
            offered = await soon(client.result("textDocument/completion", at))
            assert "A title" in str(offered)
        mention = (await soon(client.command("dsh.sessions")))["items"][0]["mention"]
        client.change(URI, 2, {"text": f"See {mention}"})
        at = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 6}}
        assert "World" in str(await soon(client.result("textDocument/hover", at)))
        document = {"textDocument": {"uri": URI}}
        found = await soon(client.result("textDocument/diagnostic", document))
        assert found["items"] == []
        status = await soon(client.command("dsh.status"))
        assert status["harness"] is None
        assert host.url in status["harnessProblem"]
        sent = await soon(client.command("dsh.send", uri=URI, version=2, target="session-a"))
        assert sent["status"] == "refused"


async def test_a_host_that_dies_and_comes_back(tmp_path: Path) -> None:
    home = store(tmp_path)
    fake = FakeHost("0.1.0")
    fake.logs["session-a"] = []
    fake.rows = [{"sessionId": "session-a", "updatedAt": 1, "running": False}]
    alive: HostScript = fake
    async with scripted_host(alive) as host, raw_client() as client:
        await start(client, home, host.url)
        client.open(URI, "Hello")
        assert (await soon(status_when(client, lambda it: it["harness"] is not None)))["harness"]
        host.script = lambda _: None
        gone = await soon(status_when(client, lambda it: it["harness"] is None))
        assert gone["sessions"] == 1
        host.script = alive
        back = await soon(status_when(client, lambda it: it["harness"] is not None))
        assert back["harness"]["version"] == "0.1.0 or 0.1.1"


async def status_when(client: RawClient, fits: Callable[[Any], bool]) -> Any:
    """The status once it fits."""
    while True:
        status = await client.command("dsh.status")
        if fits(status):
            return status
        await asyncio.sleep(0.1)


async def test_nothing_of_a_host_or_a_link_is_logged(tmp_path: Path) -> None:
    fake = FakeHost("0.2.1")
    async with scripted_host(fake) as host, raw_client() as client:
        await start(client, store(tmp_path), host.url)
        link = f"{host.url}/?token=very-secret"
        answer = await soon(client.command("dsh.login", link=link))
        assert "each start prints another one" in answer["harnessProblem"]
        assert "very-secret" not in str(answer)
        await client.error("workspace/executeCommand", {"command": "dsh.login", "arguments": [3]})
        await client.error(
            "workspace/executeCommand", {"command": "dsh.login", "arguments": [{"link": 3}]}
        )
        _, log = await client.end()
    assert b"very-secret" not in log
