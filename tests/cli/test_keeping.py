"""`dsh-lsp send --keep` and what the outbox does with it: processes that die, hosts that come."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from dsh_lsp.harness.delivery.course import begin
from dsh_lsp.harness.delivery.outbox import FolderOutbox
from dsh_lsp.harness.port import Letter, Mode, Outgoing
from tests.support.command import PROGRAM, Result, clean_environment, run
from tests.support.embedded import mention
from tests.support.fake_wires import FakeHost
from tests.support.log_script import Script
from tests.support.scripted_host import (
    Answer,
    Asked,
    ScriptedHost,
    hang,
    scripted_host,
    value,
)
from tests.support.store_writer import write_log

SESSION = "session-target"

SECONDS = 60


class Desk:
    """Someone with two sessions in their store, at first without a harness."""

    def __init__(self, home: Path) -> None:
        self.home = home
        for session in (SESSION, "session-source"):
            script = Script(session, version=4, cwd=str(home))
            script.policies()
            script.exchange("What is this?", "A session.")
            script.title("it")
            write_log(home / ".dsh" / "sessions", script)

    def run(self, *arguments: str, stdin: str = "") -> Result:
        return run(self.home, *arguments, stdin=stdin)

    def keep(self, text: str = "Remember me.\n", target: str = SESSION) -> Result:
        return self.run("send", "-", "--target", target, "--keep", stdin=text)

    def kept(self, text: str = "Remember me.\n") -> str:
        """The request id of a prompt that is kept now."""
        told = self.keep(text)
        assert (told.status, told.err) == (0, "")
        found = re.search(r"^to send it: dsh-lsp outbox --resend (\S+)$", told.out, re.MULTILINE)
        assert found
        return found[1]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_prompt_is_kept_without_a_harness_and_forgotten(desk: Desk) -> None:
    refused = desk.run("send", "-", "--target", SESSION, stdin="Remember me.\n")
    assert refused.status == 1
    assert "--keep keeps it in the outbox" in refused.err
    kept = desk.keep()
    assert kept.out.startswith(f"kept in the outbox for session {SESSION}, not sent yet\n")
    assert "outbox      1 kept (" in desk.run("status").out
    listed = desk.run("outbox")
    assert listed.status == 0
    request_id = listed.out.split()[0]
    assert listed.out == (
        f"{request_id}  Remember me.\n    to session {SESSION}\n    it is kept, not sent yet\n"
    )
    refused = desk.run("outbox", "--resend", request_id)
    assert (refused.status, refused.out) == (1, "")
    assert "No harness answers" in refused.err
    assert desk.run("outbox").out == listed.out
    assert desk.run("outbox", "--show", request_id).out == "Remember me.\n"
    assert desk.run("outbox", "--discard", request_id).status == 0
    assert desk.run("outbox").out == "the outbox is empty\n"


def test_the_way_out_of_keeping_without_a_target_can_be_gone(desk: Desk) -> None:
    refused = desk.run("send", "-", "--keep", stdin="Remember me.\n")
    assert refused.status == 1
    (way,) = [line for line in refused.err.splitlines() if line.startswith("  -> ")]
    assert "--target new" not in way
    assert "`dsh-lsp sessions --targets` lists them" in way
    listed = desk.run("sessions", "--targets", "--json")
    assert listed.status == 0
    offered = [each["sessionId"] for each in json.loads(listed.out)["items"]]
    assert sorted(offered) == ["session-source", SESSION]
    assert desk.keep(target=offered[0]).status == 0


@pytest.mark.parametrize(
    ("text", "target", "part"),
    [
        ("Hello.\n", "new", "-> name one with --target SESSION"),
        ("\n", SESSION, "There is nothing to send"),
        ("@[x](dsh-session:bad=)\n", SESSION, "SESSION_REFERENCE_INVALID_REFERENCE"),
    ],
)
def test_what_cannot_be_kept(desk: Desk, text: str, target: str, part: str) -> None:
    refused = desk.keep(text, target)
    assert (refused.status, refused.out) == (1, "")
    assert part in refused.err
    assert refused.err.endswith("dsh-lsp: nothing was kept\n")
    assert desk.run("outbox").out == "the outbox is empty\n"


def test_an_equal_prompt_is_kept_once(desk: Desk) -> None:
    desk.kept()
    again = desk.keep()
    assert (again.status, again.out) == (1, "")
    assert "An equal prompt is kept in the outbox" in again.err
    assert "`dsh-lsp outbox` shows that prompt, sends it" in again.err


def test_a_target_that_the_store_does_not_have_is_warned_of(desk: Desk) -> None:
    kept = desk.keep(target="session-elsewhere")
    assert kept.status == 0
    assert "warning: The session that this prompt goes to is not in the store" in kept.err


def test_what_was_kept_as_json(desk: Desk) -> None:
    told = desk.run("send", "-", "--target", SESSION, "--keep", "--json", stdin="Hello.\n")
    answer = json.loads(told.out)
    assert (told.status, answer["status"], answer["receipt"]) == (0, "kept", None)
    assert answer["requestId"] in desk.run("outbox").out


class Recording:
    """A host that has the session, and records at once what it is sent."""

    def __init__(self) -> None:
        self.fake = FakeHost("0.1.0")
        self.fake.logs[SESSION] = []
        self.fake.answers["session.prompt"] = self.take

    def take(self, asked: Asked) -> Answer:
        envelope = asked.envelope
        self.fake.prompts.append(envelope["payload"])
        data = {"id": "m", "source": {"kind": "user", "rpcId": envelope["rpcId"]}, "content": []}
        self.fake.logs[SESSION].append({"type": "user/message", "seq": 0, "ts": 1, "data": data})
        return value(asked, {"accepted": True})


async def begin_at(desk: Desk, host: ScriptedHost, *command: str) -> asyncio.subprocess.Process:
    """A command whose prompts go to a host."""
    settings = ("--set", "harness.mode=http", "--set", f"harness.url={host.url}")
    return await asyncio.create_subprocess_exec(
        *(PROGRAM, *command, *settings),
        env=clean_environment(desk.home),
        cwd=desk.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


async def end(process: asyncio.subprocess.Process) -> Result:
    out, err = await asyncio.wait_for(process.communicate(), SECONDS)
    assert process.returncode is not None
    return Result(process.returncode, out.decode(), err.decode())


@pytest.mark.anyio
async def test_when_a_harness_comes_it_is_sent_as_it_was_kept(desk: Desk) -> None:
    request_id = desk.kept()
    recording = Recording()
    async with scripted_host(recording.fake) as host:
        listed = await end(await begin_at(desk, host, "outbox"))
        assert "it is kept, not sent yet" in listed.out
        assert host.names == []
        sent = await end(await begin_at(desk, host, "outbox", "--resend", request_id))
    assert sent == Result(0, "captured: the session's log holds it as record 0\n", "")
    assert [each["sessionId"] for each in recording.fake.prompts] == [SESSION]
    assert "Remember me." in str(recording.fake.prompts)
    assert desk.run("outbox").out == "the outbox is empty\n"


def test_what_is_kept_is_counted_apart_from_what_is_on_its_way(desk: Desk) -> None:
    desk.kept("Later.\n")
    desk.kept("Much later.\n")
    intent = begin(Letter(Outgoing("away", SESSION, "Now.", Mode.QUEUE)), 5)
    with FolderOutbox(desk.home / "state" / "dsh-lsp" / "outbox").hold("away") as entry:
        entry.write(intent)
    assert "outbox      2 kept, 1 on its way (dsh-lsp outbox tells" in desk.run("status").out
    answer = json.loads(desk.run("status", "--json").out)
    assert (answer["outbox"], answer["kept"]) == (3, 2)


@pytest.mark.anyio
async def test_a_session_of_another_home_is_guessed_at(desk: Desk) -> None:
    request_id = desk.kept()
    async with scripted_host(FakeHost("0.1.0")) as host:
        refused = await end(await begin_at(desk, host, "outbox", "--resend", request_id[:8]))
    assert (refused.status, refused.out) == (1, "")
    assert "may have been meant for a harness of another home" in refused.err
    assert len(refused.err.splitlines()) == 2
    assert request_id in desk.run("outbox").out


@pytest.mark.anyio
async def test_a_snapshot_that_is_not_recorded_is_told(desk: Desk) -> None:
    request_id = desk.kept(f"Go on with {mention('session-source', 'it')}.\n")
    async with scripted_host(Recording().fake) as host:
        sent = await end(await begin_at(desk, host, "outbox", "--resend", request_id))
    assert sent.status == 0
    assert "warning: The snapshot of session session-source was recorded" in sent.err
    assert "recorded is false instead of true" in sent.err


@pytest.mark.anyio
async def test_processes_that_send_it_at_the_same_time_send_it_once(desk: Desk) -> None:
    request_id = desk.kept()
    recording = Recording()
    others_ended = asyncio.Event()

    async def take(asked: Asked) -> Answer:
        await others_ended.wait()
        return recording.take(asked)

    recording.fake.answers["session.prompt"] = take
    async with scripted_host(recording.fake) as host:
        racing = [await begin_at(desk, host, "outbox", "--resend", request_id) for _ in range(4)]
        ends = [asyncio.ensure_future(end(each)) for each in racing]
        for ended in islice(asyncio.as_completed(ends), 3):
            await ended
        others_ended.set()
        results = sorted(await asyncio.gather(*ends), key=lambda result: result.status)
    assert [each.status for each in results] == [0, 1, 1, 1]
    assert results[0].out.startswith("captured: ")
    assert {each.err for each in results[1:]} == {
        "dsh-lsp: another dsh-lsp works on this prompt right now\n"
    }
    assert len(recording.fake.prompts) == 1


@pytest.mark.anyio
async def test_a_process_that_is_killed_while_it_sends_leaves_it_in_doubt(desk: Desk) -> None:
    request_id = desk.kept()
    recording = Recording()
    recording.fake.answers["session.prompt"] = hang
    async with scripted_host(recording.fake) as host:
        doomed = await begin_at(desk, host, "outbox", "--resend", request_id)
        while "session.prompt" not in host.names:
            assert doomed.returncode is None
            await asyncio.sleep(0.01)
        doomed.kill()
        await doomed.communicate()
        recording.fake.answers["session.prompt"] = recording.take
        listed = await end(await begin_at(desk, host, "outbox"))
        assert listed.status == 1
        assert "it is being sent: it may still be on its way" in listed.out
        again = await end(await begin_at(desk, host, "outbox", "--resend", request_id))
        assert (again.status, again.out) == (1, "")
        assert "It was not sent again" in again.err
    assert host.names.count("session.prompt") == 1
