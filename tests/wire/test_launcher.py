"""Starting a host and stopping what was started, with programs that stand for `dsh`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dsh_lsp.app_host import HostEntrance, leave, new_launcher
from dsh_lsp.harness.port import HarnessError
from dsh_lsp.harness.wire import launcher as module
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.cookies import CookieStore, Login
from dsh_lsp.harness.wire.discover import places
from dsh_lsp.harness.wire.errors import UnreachableError
from dsh_lsp.harness.wire.finder import Finder
from dsh_lsp.harness.wire.launcher import Launcher
from dsh_lsp.harness.wire.started import StartedHosts
from dsh_lsp.settings import HarnessSettings
from tests.support.fake_wires import TOKEN, FakeHost
from tests.support.scripted_host import scripted_host

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="a program is a script here"),
]

ENVIRON = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def program(folder: Path, body: str) -> str:
    """A program that notes how it was started and then does `body`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "dsh"
    path.write_text(
        f"#!{sys.executable}\n"
        "import json, os, signal, sys, time\n"
        f"folder = {str(folder)!r}\n"
        "started = {'argv': sys.argv[1:], 'cwd': os.getcwd(), 'home': os.environ.get('DSH_HOME'),"
        " 'pid': os.getpid()}\n"
        "open(folder + '/started.json', 'w').write(json.dumps(started))\n"
        f"{body}\n"
    )
    path.chmod(0o755)
    return str(path)


def runs(url: str) -> str:
    return f"print('dsh: warning: x')\nprint('dsh web: {url}', flush=True)\ntime.sleep(600)"


def noted(folder: Path) -> dict[str, object]:
    note = json.loads((folder / "started.json").read_text())
    assert isinstance(note, dict)
    return note


def lives(pid: object) -> bool:
    assert isinstance(pid, int)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def launcher_of(tmp_path: Path) -> Launcher:
    state = tmp_path / "state"
    return Launcher(hosts_of(state), state)


def hosts_of(folder: Path) -> StartedHosts:
    return StartedHosts(folder, CookieStore(folder / "logins"))


async def test_a_host_is_started_told_where_and_stopped(tmp_path: Path) -> None:
    command = program(tmp_path / "bin", runs("http://127.0.0.1:5/?token=secret"))
    launcher = launcher_of(tmp_path)
    link = await launcher.start(command, home="/h", cwd=str(tmp_path), environ=ENVIRON)
    assert link == "http://127.0.0.1:5/?token=secret"
    assert launcher.url == "http://127.0.0.1:5"
    started = noted(tmp_path / "bin")
    assert started["argv"] == ["web", "--no-open", "--port", "0"]
    assert (started["cwd"], started["home"]) == (str(tmp_path), "/h")
    (record,) = kept(tmp_path / "state")
    assert "secret" not in record.read_text()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    (found,) = hosts_of(tmp_path / "state").running()
    assert (found.url, found.pid) == ("http://127.0.0.1:5", started["pid"])
    with pytest.raises(HarnessError, match="already"):
        await launcher.start(command, home=None, cwd=None, environ=ENVIRON)
    await launcher.stop()
    assert not lives(started["pid"])
    assert kept(tmp_path / "state") == []
    await launcher.stop()


def kept(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def test_a_host_that_does_not_end_gently_is_ended(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "STOP_SECONDS", 0.3)
    deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + runs("http://127.0.0.1:5")
    launcher = launcher_of(tmp_path)
    await launcher.start(program(tmp_path / "bin", deaf), home=None, cwd=None, environ=ENVIRON)
    await launcher.stop()
    assert not lives(noted(tmp_path / "bin")["pid"])


FAILING = [
    ("print('no key: token=abc'); sys.exit(3)", "ended while it started: no key: token=…"),
    ("sys.exit(0)", "ended while it started: it said nothing"),
    ("print('dsh web: nonsense', flush=True); time.sleep(600)", "has not come up within 1 sec"),
    ("print('x' * 100_000, flush=True); time.sleep(600)", "has not come up within 1 sec"),
]


@pytest.mark.parametrize(("body", "words"), FAILING, ids=range(len(FAILING)))
async def test_a_host_that_does_not_come_up(
    tmp_path: Path, monkeypatch, body: str, words: str
) -> None:
    monkeypatch.setattr(module, "BOOT_SECONDS", 1.0)
    launcher = launcher_of(tmp_path)
    with pytest.raises(HarnessError, match=words) as error:
        await launcher.start(program(tmp_path / "bin", body), home=None, cwd=None, environ=ENVIRON)
    assert len(str(error.value)) < 700
    assert "abc" not in str(error.value)
    assert not lives(noted(tmp_path / "bin")["pid"])
    assert kept(tmp_path / "state") == []


async def test_a_missing_program_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"dsh\.harness\.command"):
        await launcher_of(tmp_path).start(
            str(tmp_path / "none"), home=None, cwd=None, environ=ENVIRON
        )


async def test_giving_up_ends_what_was_started(tmp_path: Path) -> None:
    launcher = launcher_of(tmp_path)
    command = program(tmp_path / "bin", "time.sleep(600)")
    starting = asyncio.ensure_future(launcher.start(command, home=None, cwd=None, environ=ENVIRON))
    for _ in range(1000):
        await asyncio.sleep(0.02)
        if started_yet(tmp_path / "bin"):
            break
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not lives(noted(tmp_path / "bin")["pid"])
    assert kept(tmp_path / "state") == []


def started_yet(folder: Path) -> bool:
    try:
        return bool(noted(folder))
    except (OSError, ValueError):
        return False


def test_records_of_processes_that_ended_are_dropped_with_their_logins(tmp_path: Path) -> None:
    folder, logins = tmp_path / "started", CookieStore(tmp_path / "logins")
    hosts = StartedHosts(folder, logins)
    ours, other = (read_address(f"http://127.0.0.1:{port}") for port in (5, 6))
    for address in (ours, other):
        logins.put(address, Login("a=1", 1e12))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        hosts.add("http://127.0.0.1:5", process.pid)
        assert [host.url for host in hosts.running()] == ["http://127.0.0.1:5"]
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
        assert hosts.running() == ()
    assert kept(folder) == []
    assert logins.addresses() == (other.url,)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_a_later_process_of_the_same_number_is_not_ours(tmp_path: Path) -> None:
    hosts = hosts_of(tmp_path)
    hosts.add("http://127.0.0.1:5", os.getpid())
    (record,) = kept(tmp_path)
    record.write_text(json.dumps({**json.loads(record.read_text()), "born": "1"}))
    assert hosts.running() == ()


DAMAGED = ["", "[]", "{", '{"url": 1, "pid": 1, "born": null}', '{"url": "x", "pid": -1}']


@pytest.mark.parametrize("content", DAMAGED)
def test_damaged_records_are_dropped(tmp_path: Path, content: str) -> None:
    (tmp_path / "5.json").write_text(content)
    assert hosts_of(tmp_path).running() == ()
    assert kept(tmp_path) == []


def entrance_of(tmp_path: Path, command: str, **more: str) -> tuple[HostEntrance, Launcher]:
    settings = HarnessSettings(command=command)
    state = tmp_path / "state"
    launcher = new_launcher(state)
    environ = {**ENVIRON, **more}
    return HostEntrance(settings, state, launcher, home=None, environ=environ), launcher


async def test_an_entrance_starts_enters_and_ends_a_host(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.harness.wire.discover.DEFAULT_URL", "http://127.0.0.1:9")
    fake = FakeHost("0.2.1")
    async with scripted_host(fake) as host:
        command = program(tmp_path / "bin", runs(f"{host.url}/?token={TOKEN}"))
        entrance, launcher = entrance_of(tmp_path, command)
        started = await entrance.start(None)
        assert started.name == f"dsh web at {host.url}"
        assert (await entrance.harness.describe()).version == "0.2.1"
        with pytest.raises(HarnessError, match=f"runs already.* dsh web 0.2.1 at {host.url}$"):
            await entrance.start(None)
        other, its_launcher = entrance_of(tmp_path, command)  # another process would find it
        assert (await other.harness.describe()).name == started.name
        await other.aclose()
        await leave(its_launcher, tmp_path / "state")
        await entrance.aclose()
        assert lives(noted(tmp_path / "bin")["pid"])  # settings may have changed
        assert len(kept(tmp_path / "state" / "logins")) == 1
        await leave(launcher, tmp_path / "state")
        assert not lives(noted(tmp_path / "bin")["pid"])
        assert kept(tmp_path / "state" / "logins") == []


async def test_a_host_that_ended_by_itself_leaves_no_login(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.harness.wire.discover.DEFAULT_URL", "http://127.0.0.1:9")
    async with scripted_host(FakeHost("0.2.1")) as host:
        command = program(tmp_path / "bin", runs(f"{host.url}/?token={TOKEN}"))
        entrance, launcher = entrance_of(tmp_path, command)
        await entrance.start(None)
        pid = noted(tmp_path / "bin")["pid"]
        assert isinstance(pid, int)
        os.kill(pid, signal.SIGKILL)
        for _ in range(1000):
            await asyncio.sleep(0.02)
            if launcher.url is None:
                break
        await entrance.aclose()
        await leave(launcher, tmp_path / "state")
    assert kept(tmp_path / "state" / "logins") == []
    assert kept(tmp_path / "state" / "started") == []


async def test_of_many_places_of_before_only_the_latest_is_named(tmp_path: Path) -> None:
    logins = CookieStore(tmp_path)
    for port in range(1, 5):
        logins.put(read_address(f"http://127.0.0.1:{port}"), Login("a=1", 1e12 + port))
    found = places(named=None, environment=None, started=[], entered=logins.addresses())
    assert len(found) == 5
    with pytest.raises(UnreachableError) as error:
        await Finder(lambda: found[:4], logins).find()
    assert str(error.value) == (
        "No harness answers at http://127.0.0.1:4 (where dsh-lsp logged in before)"
    )


async def test_a_host_that_has_work_to_do_goes_on(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.harness.wire.discover.DEFAULT_URL", "http://127.0.0.1:9")
    fake = FakeHost("0.2.1")
    fake.rows = [{"sessionId": "s", "updatedAt": 1, "running": True}]
    async with scripted_host(fake) as host:
        command = program(tmp_path / "bin", runs(f"{host.url}/?token={TOKEN}"))
        entrance, launcher = entrance_of(tmp_path, command)
        await entrance.start(None)
        await leave(launcher, tmp_path / "state")
        assert lives(noted(tmp_path / "bin")["pid"])
        fake.rows = []
        await leave(launcher, tmp_path / "state")
        assert not lives(noted(tmp_path / "bin")["pid"])


async def test_a_host_that_cannot_be_entered_is_ended(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.harness.wire.discover.DEFAULT_URL", "http://127.0.0.1:9")
    entrance, _ = entrance_of(tmp_path, program(tmp_path / "bin", runs("http://127.0.0.1:9")))
    with pytest.raises(HarnessError):
        await entrance.start(None)
    assert not lives(noted(tmp_path / "bin")["pid"])


async def test_a_named_harness_is_not_doubled(tmp_path: Path) -> None:
    entrance, _ = entrance_of(tmp_path, "dsh", DSH_WEB_URL="http://127.0.0.1:9")
    with pytest.raises(HarnessError, match="DSH_WEB_URL names the harness"):
        await entrance.start(None)
