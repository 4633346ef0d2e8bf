"""`dsh-lsp outbox`: what is kept is listed, shown, sent again and forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_lsp.harness.delivery.course import begin
from dsh_lsp.harness.delivery.outbox import FolderOutbox
from dsh_lsp.harness.port import Letter, Mode, Outgoing
from tests.support.command import Result, run


class Desk:
    """Someone whose prompts go to the embedded harness."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.outbox = home / "embedded" / "outbox"

    def run(self, *arguments: str, stdin: str = "") -> Result:
        root = f"embedded.root={self.home / 'embedded'}"
        options = ("--set", "harness.mode=embedded", "--set", root)
        return run(self.home, *arguments, *options, stdin=stdin)

    def session(self) -> str:
        sent = self.run("send", "-", "--target", "new", stdin="It begins.\n")
        assert sent.status == 0
        return sent.out.splitlines()[0].removeprefix("accepted by session ")

    def leave(self, request_id: str, session: str, text: str) -> None:
        intent = begin(Letter(Outgoing(request_id, session, text, Mode.QUEUE)), 5)
        with FolderOutbox(self.outbox).hold(request_id) as entry:
            entry.write(intent)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_the_embedded_harness_shares_its_outbox_with_no_home(desk: Desk) -> None:
    kept = desk.run("send", "-", "--target", "session-elsewhere", "--keep", stdin="Later.\n")
    assert kept.status == 0
    refused = desk.run("outbox", "--resend", kept.out.split()[-1])
    assert (refused.status, refused.out) == (1, "")
    assert "another home" not in refused.err
    assert len(refused.err.splitlines()) == 1


def test_an_empty_outbox(desk: Desk) -> None:
    listed = desk.run("outbox")
    assert (listed.status, listed.out, listed.err) == (0, "the outbox is empty\n", "")


def test_what_is_kept_can_be_seen_sent_and_forgotten(desk: Desk) -> None:
    session = desk.session()
    desk.leave("one", session, "First\nof all\x1b[31m")
    desk.leave("two", session, "Second")
    desk.leave("three", "session-elsewhere", "Third")
    listed = desk.run("outbox")
    assert listed.status == 1
    assert "one  First of all\\u001b[31m\n" in listed.out
    assert listed.out.count("its session does not have it, so it can be sent again") == 2
    assert "it is not known whether the harness has it" in listed.out
    assert desk.run("outbox", "--show", "one").out == "First\nof all\x1b[31m"
    assert "captured" in desk.run("outbox", "--resend", "two").out
    assert desk.run("outbox", "--discard", "one") == Result(
        0, "forgotten: First of all\\u001b[31m\n", ""
    )
    refused = desk.run("outbox", "--resend", "three")
    assert refused.status == 1
    assert "It was not sent again" in refused.err
    assert {path.stem for path in desk.outbox.iterdir()} == {"three"}


def test_the_beginning_of_an_id_names_its_prompt(desk: Desk) -> None:
    session = desk.session()
    for request_id in ("aa-1", "aa-2", "aa", "b-1", "b-2"):
        desk.leave(request_id, session, f"Prompt {request_id}\n")
    assert desk.run("outbox", "--show", "aa-1").out == "Prompt aa-1\n"
    assert desk.run("outbox", "--show", "aa").out == "Prompt aa\n"
    assert desk.run("outbox", "--discard", "aa-2").out == "forgotten: Prompt aa-2\n"
    assert "captured" in desk.run("outbox", "--resend", "aa-").out
    left = {path.stem for path in desk.outbox.iterdir()}
    assert left == {"aa", "b-1", "b-2"}
    for option in ("--show", "--resend", "--discard"):
        refused = desk.run("outbox", option, "b")
        assert refused == Result(1, "", "dsh-lsp: 2 ids in the outbox begin so: b-1, b-2\n")
    assert {path.stem for path in desk.outbox.iterdir()} == left


@pytest.mark.parametrize("named", ["nobody", ""])
@pytest.mark.parametrize("option", ["--show", "--resend", "--discard"])
def test_an_id_that_is_not_kept(desk: Desk, option: str, named: str) -> None:
    desk.leave("one", "session-elsewhere", "Mine")
    result = desk.run("outbox", option, named)
    assert [path.stem for path in desk.outbox.glob("*.json")] == ["one"]
    assert (result.status, result.out) == (1, "")
    assert "no such prompt" in result.err


def test_a_file_that_is_no_prompt_is_told_and_left(desk: Desk) -> None:
    desk.outbox.mkdir(parents=True)
    (desk.outbox / "mine.json").write_text("{}")
    listed = desk.run("outbox")
    assert listed.status == 1
    assert "mine.json: it holds no prompt" in listed.err
    assert (desk.outbox / "mine.json").read_text() == "{}"
    assert "mine.json" in desk.run("status").out


def test_an_equal_prompt_in_doubt_stops_a_send(desk: Desk) -> None:
    session = desk.session()
    desk.leave("one", session, "Again\n")
    sent = desk.run("send", "-", "--target", session, stdin="Again\n")
    assert sent.status == 1
    assert "An equal prompt was sent before" in sent.err
    assert "dsh-lsp outbox" in sent.err
