"""Starting and entering real hosts, as a user of the editor or of the command line would."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from dsh_lsp.app_host import HostEntrance, leave, new_launcher
from dsh_lsp.harness.port import HarnessError, ReceiptState
from dsh_lsp.settings import HarnessSettings
from tests.support.command import run
from tests.support.embedded import mention
from tests.support.hosts import Host
from tests.support.hosts_client import outgoing, until
from tests.support.hosts_install import install
from tests.support.hosts_releases import Release, Wire
from tests.support.mock_model import MockModel
from tests.support.raw_client import raw_client

pytestmark = pytest.mark.anyio


def wrapper(release: Release, folder: Path) -> str:
    """One program that starts a release, as an installed `dsh` would."""
    path = folder / "dsh"
    path.write_text(f'#!/bin/sh\nexec {shlex.join(release.command())} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
async def test_a_host_is_started_entered_used_and_ended(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dsh_lsp.harness.wire.discover.DEFAULT_URL", "http://127.0.0.1:9")
    install(release)
    with MockModel() as model:
        environ = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
            "DEEPSEEK_API_KEY": "any",
            "TMPDIR": str(tmp_path),
            "DEEPSEEK_BASE_URL": f"{model.url}{release.model_path}",
        }
        settings = HarnessSettings(command=wrapper(release, tmp_path))
        home = str(tmp_path / "home")
        state = tmp_path / "state"
        launcher = new_launcher(state)
        entrance = HostEntrance(settings, state, launcher, home=home, environ=environ)
        started = await entrance.start(str(tmp_path))
        harness = entrance.harness
        assert await harness.describe() == started
        session = await harness.create_session(str(tmp_path))
        await harness.send(outgoing(session, "r", "Hello"))
        await until(
            lambda: harness.receipt(session, "r"),
            lambda receipt: receipt.state is ReceiptState.CAPTURED,
        )
        await until(
            lambda: harness.find_request(session, "r"), lambda found: found.reason == "completed"
        )
        await entrance.aclose()
        await leave(launcher, state)
        other = HostEntrance(settings, state, new_launcher(state), home=home, environ=environ)
        with pytest.raises(HarnessError, match="No harness answers"):
            await other.harness.describe()
        await other.aclose()
    assert list((tmp_path / "home" / "sessions").glob(f"*/{session}"))
    assert not list((tmp_path / "state" / "started").iterdir())


def test_the_command_line_enters_a_host_and_sends(host: Host, tmp_path: Path) -> None:
    named = ["--set", f"harness.url={host.url}", "--home", str(host.home)]
    entered = run(tmp_path, "login", "-", stdin=host.link)
    assert (entered.status, entered.err) == (0, "")
    assert host.url in entered.out
    if host.wire is Wire.B:
        refused = run(tmp_path, "login", f"{host.url}/?token=wrong-secret")
        assert refused.status == 1
        assert "each start prints another one" in refused.err
        assert "wrong-secret" not in refused.err
    status = run(tmp_path, "status", *named)
    assert f"dsh web at {host.url}" in status.out
    sent = run(tmp_path, "send", "-", "--target", "new", *named, stdin="Hello from a shell.\n")
    assert sent.status == 0, sent.err
    assert "captured" in sent.out
    found = json.loads(run(tmp_path, "sessions", "--json", *named).out)
    assert found["items"]


def test_a_host_that_was_not_entered_says_so(newer: Host, tmp_path: Path) -> None:
    named = ["--set", f"harness.url={newer.url}"]
    sent = run(tmp_path, "send", "-", "--target", "new", *named, stdin="Hello.\n")
    assert sent.status == 1
    assert "dsh-lsp login" in sent.err
    assert "nothing was sent" in sent.err


def test_the_sessions_of_another_home_are_read_from_the_host(host: Host, tmp_path: Path) -> None:
    named = ["--set", f"harness.url={host.url}", "--home", str(tmp_path / "none")]
    assert run(tmp_path, "login", "-", stdin=host.link).status == 0
    sent = run(tmp_path, "send", "-", "--target", "new", *named, stdin="Quite another home.\n")
    session = sent.out.split()[3]
    listed = json.loads(run(tmp_path, "sessions", "--json", session, *named).out)
    (item,) = listed["items"]
    prompt = f"Look at {item['mention']}.\n"
    preview = run(tmp_path, "preview", "-", *named, stdin=prompt)
    assert "Quite another home." in preview.out
    checked = run(tmp_path, "check", "-", *named, stdin=prompt)
    assert checked.status == 0, checked.out


async def test_an_editor_enters_a_host_and_sends(host: Host, tmp_path: Path) -> None:
    uri = "untitled:prompt"
    settings = {"home": str(host.home), "harness": {"url": host.url}}
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    async with raw_client(env=environ) as client:
        await client.initialize(initializationOptions={"dsh": settings})
        if host.wire is Wire.B:
            assert "dsh-lsp login" in (await client.command("dsh.status"))["harnessProblem"]
        entered = await client.command("dsh.login", link=host.link)
        assert entered["harnessProblem"] is None
        assert (await client.command("dsh.status"))["harness"] == entered["harness"]
        client.open(uri, "Hello from an editor")
        source = (await client.command("dsh.send", uri=uri, version=1, target="new"))["sessionId"]
        client.open("untitled:other", f"Use {mention(source, 'the source')}")
        sent = await client.command("dsh.send", uri="untitled:other", version=1, target="new")
        assert sent["status"] == "accepted", sent
        assert sent["receipt"]["state"] == "captured"
        _, log = await client.end()
    for secret in ("Hello from an editor", host.token or host.link):
        assert secret.encode() not in log
