"""Receipts of real hosts: recorded, queued, in a queue that died, otherwise than predicted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Result, run
from tests.support.embedded import mention
from tests.support.hosts import Host
from tests.support.hosts_logs import await_quiet, await_turn, entry, eventually, pending, records
from tests.support.hosts_releases import EVERY_RUN, Release, budget_overlay
from tests.support.laboratory import Laboratory

StartHost = Callable[[Release], Host]

each_release = pytest.mark.parametrize(
    "release", [pytest.param(release, id=release.version) for release in EVERY_RUN]
)


class Person:
    """Someone at a shell, logged in to a host."""

    def __init__(self, laboratory: Laboratory, folder: Path) -> None:
        self.laboratory = laboratory
        self._folder = folder
        token = laboratory.host.token
        link = f"{laboratory.url}/?token={token}" if token else laboratory.url
        assert self.run("login", link).status == 0

    def run(self, *arguments: str, stdin: str = "") -> Result:
        settings = [f"home={self.laboratory.host.home}", "harness.mode=http"]
        settings.append(f"harness.url={self.laboratory.url}")
        options = [part for setting in settings for part in ("--set", setting)]
        return run(self._folder, *arguments, *options, stdin=stdin)

    def two_sessions(self) -> tuple[str, str]:
        """A session to mention and one to send to, whose first turns have ended."""
        host, caller = self.laboratory.host, self.laboratory.caller
        source, target = self.laboratory.source(), caller.create()
        await_turn(host, target, caller.prompt(target, "It begins."))
        await_quiet(host, source)
        await_quiet(host, target)
        return source, target

    def send(self, session: str, text: str) -> Result:
        return self.run("send", "-", "--target", session, stdin=text)


@pytest.fixture
def meet(start_host: StartHost, tmp_path: Path) -> Callable[[Release], Person]:
    """A person, and a host that is theirs alone."""
    return lambda release: Person(Laboratory(start_host(release)), tmp_path)


@each_release
def test_a_cold_target_records_what_was_predicted(
    release: Release, meet: Callable[[Release], Person]
) -> None:
    person = meet(release)
    source, target = person.two_sessions()
    person.laboratory.host.restart()
    sent = person.send(target, f"Use {mention(source, 'the source')}, please.")
    assert (sent.status, sent.err) == (0, "")
    assert "captured: the session's log holds it as record" in sent.out
    assert person.run("outbox").out == "the outbox is empty\n"


@each_release
def test_what_was_recorded_otherwise_is_told_with_both_values(
    release: Release, meet: Callable[[Release], Person]
) -> None:
    person = meet(release)
    host, caller = person.laboratory.host, person.laboratory.caller
    source = person.laboratory.source()
    await_turn(host, source, caller.prompt(source, "And this is said " + "at length, " * 40))
    await_quiet(host, source)
    host.stop()
    host.overlay = (*host.overlay, *budget_overlay(600))
    host.start()
    sent = person.send(caller.create(), f"Use {mention(source, 'the source')}, please.")
    assert sent.status == 0
    assert f"The snapshot of session {source} was recorded otherwise than prepared" in sent.err
    assert "truncated is true instead of false" in sent.err


@each_release
def test_a_queue_that_died_with_its_host_is_told(
    release: Release, meet: Callable[[Release], Person]
) -> None:
    person = meet(release)
    host, caller = person.laboratory.host, person.laboratory.caller
    session = caller.create()
    caller.prompt(session, "(held)\n!hold gate\n!say at last")
    eventually(lambda: host.model.seen("(held)"), "the model is asked")
    sent = person.send(session, "I wait.")
    assert (sent.status, sent.out.splitlines()[1]) == (0, "queued: place 1")
    assert "outbox      1 on its way (" in person.run("status").out
    eventually(lambda: pending(records(host, session)), "the prompt is on disk")
    host.crash()
    host.model.release("gate")  # the prompt that was not answered goes to the model once more
    host.start()
    listed = person.run("outbox")
    assert listed.status == 1
    assert "I wait." in listed.out
    assert "it waits at place 1 in the queue of its session: nothing runs" in listed.out
    (request_id,) = pending(records(host, session))
    again = person.run("outbox", "--resend", request_id)
    assert (again.status, again.out) == (1, "")
    assert "It was not sent again: it waits at place 1" in again.err
    second = person.send(session, "I wake it.")
    assert second.status == 0
    assert "warning: An earlier prompt waits in the queue of this session" in second.err
    eventually(lambda: entry(records(host, session), request_id), "the earlier prompt ran")
    eventually(lambda: not pending(records(host, session)), "the later prompt ran")
    listed = person.run("outbox")
    assert listed.status == 0
    assert person.run("outbox").out == "the outbox is empty\n"
    texts = [
        record["data"]["content"][0]["text"]
        for record in records(host, session)
        if record["type"] == "user/message" and record["data"]["source"]["kind"] == "user"
    ]
    assert texts[1:] == ["I wait.", "I wake it."]


@each_release
def test_what_was_kept_without_a_host_is_sent_to_it_once_with_the_snapshot_of_then(
    release: Release, meet: Callable[[Release], Person]
) -> None:
    person = meet(release)
    host, caller = person.laboratory.host, person.laboratory.caller
    source, target = person.two_sessions()
    host.stop()
    text = f"Use {mention(source, 'the source')}, please."
    kept = person.run("send", "-", "--target", target, "--keep", stdin=text)
    assert (kept.status, kept.err) == (0, "")
    request_id = kept.out.split()[-1]
    assert person.run("outbox", "--resend", request_id).status == 1
    host.start()
    await_turn(host, source, caller.prompt(source, "What was said meanwhile."))
    await_quiet(host, source)
    listed = person.run("outbox")
    assert (listed.status, "it is kept, not sent yet" in listed.out) == (0, True)
    sent = person.run("outbox", "--resend", request_id)
    assert (sent.status, sent.err) == (0, "")
    assert sent.out.startswith("captured: ")
    found = entry(records(host, target), request_id)
    assert found is not None
    snapshots = [
        record["data"]
        for record in records(host, target)
        if record["type"] == "user/message"
        and record["data"]["source"]["kind"] == "session-reference"
    ]
    assert ["What was said meanwhile." in str(each["content"]) for each in snapshots] == [True]
    assert person.run("outbox").out == "the outbox is empty\n"
