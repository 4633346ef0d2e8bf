"""`dsh-lsp serve`: the wires beside standard input and output, and settings from options."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys

import pytest

from dsh_lsp.demo.client import Client, ServerError, running_server
from dsh_lsp.demo.editor import Editor
from tests.support.command import PROGRAM, clean_environment

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


@contextlib.asynccontextmanager
async def listening(person, *arguments):
    """A server process that listens; its port is read from what it says."""
    process = await asyncio.create_subprocess_exec(
        *(PROGRAM, "serve", *arguments),
        env=clean_environment(person.home),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        said = (await asyncio.wait_for(process.stderr.readline(), 30)).decode()
        found = re.search(r"127\.0\.0\.1:(\d+)", said)
        assert found is not None
        yield int(found[1])
    finally:
        process.terminate()
        await process.wait()


async def test_tcp(person):
    async with listening(
        person, "--tcp", "127.0.0.1:0", "--home", str(person.home / ".dsh")
    ) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        client = Client(reader, writer)
        reading = asyncio.create_task(client.read())
        editor = Editor(client)
        result = await editor.start(person.workspace, {})
        assert result["serverInfo"]["name"] == "dsh-lsp"
        found = await editor.command("dsh.sessions", {})
        assert len(found["items"]) == 6
        await client.request("shutdown", None)
        client.notify("exit", None)
        await asyncio.wait_for(reading, 30)
        writer.close()


async def test_a_port_in_use(person):
    async with listening(person, "--tcp", "127.0.0.1:0") as port:
        done = await asyncio.to_thread(person.run, "serve", "--tcp", f"127.0.0.1:{port}")
    assert done.status == 2
    assert "cannot listen there" in done.err


def test_a_websocket_without_its_package(person):
    if "websockets" in sys.modules or not _missing("websockets"):
        pytest.skip("the package is installed")
    result = person.run("serve", "--ws", "127.0.0.1:0")
    assert result.status == 2
    assert 'pip install "dsh-lsp[websocket]"' in result.err


async def test_what_is_no_client(person):
    result = await asyncio.to_thread(person.run, "serve", stdin="hello\r\n\r\n")
    assert result.status == 1
    assert result.out == ""
    assert "an editor starts this command" in result.err


async def test_the_end_of_input_ends_the_server(person):
    result = await asyncio.to_thread(person.run, "serve")
    assert result.status == 1


async def test_python_m_is_the_same_command(person):
    async with running_server({"DSH_HOME": str(person.home / ".dsh")}) as client:
        editor = Editor(client)
        await editor.start(person.workspace, {"home": None})
        status = await editor.command("dsh.status", {})
        assert status["store"] == str(person.home / ".dsh" / "sessions")
        with pytest.raises(ServerError, match="no such method"):
            await client.request("no/such", None)


async def test_options_are_defaults_below_the_editors_settings(person, tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"harness": {"mode": "off"}, "home": "/elsewhere"}))
    process = await asyncio.create_subprocess_exec(
        *(PROGRAM, "serve", "--settings", str(path)),
        env=clean_environment(person.home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    client = Client(process.stdout, process.stdin)
    reading = asyncio.create_task(client.read())
    editor = Editor(client)
    await editor.start(person.workspace, {"home": str(person.home / ".dsh")})
    status = await editor.command("dsh.status", {})
    assert status["mode"] == "off"
    assert status["store"] == str(person.home / ".dsh" / "sessions")
    await client.request("shutdown", None)
    client.notify("exit", None)
    assert await asyncio.wait_for(process.wait(), 30) == 0
    await reading


def _missing(module: str) -> bool:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is not None)"
    return subprocess.run([sys.executable, "-c", code], check=False, env=os.environ).returncode == 0
