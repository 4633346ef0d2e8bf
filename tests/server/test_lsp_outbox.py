"""A prompt that a killed server left in the outbox: told at the next start, and sent when asked."""

from __future__ import annotations

from typing import Any

from dsh_lsp.core.display import one_line
from dsh_lsp.harness.delivery.course import begin as begin_intent
from dsh_lsp.harness.delivery.outbox import FolderOutbox
from dsh_lsp.harness.port import Letter, Mode, Outgoing
from tests.support.desk import Desk
from tests.support.outbox_holder import Holder
from tests.support.raw_client import RawClient
from tests.support.raw_stories import URI, begin, run

TEXT = "What did we\ndecide?"


def messages(client: RawClient) -> list[dict[str, Any]]:
    return [
        each["params"] for each in client.notifications if each["method"] == "window/showMessage"
    ]


def leave_behind(desk: Desk, session: str) -> None:
    """What a server leaves that was killed before its request went out."""
    intent = begin_intent(Letter(Outgoing("left", session, TEXT, Mode.QUEUE), document=URI), 5)
    with FolderOutbox(desk.embedded / "outbox").hold("left") as entry:
        entry.write(intent)


def test_what_was_left_is_told_once_and_sent_on_request(desk: Desk) -> None:
    made: list[str] = []

    async def before(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, TEXT)
        made.append((await client.command("dsh.newSession", uri=URI))["target"]["sessionId"])
        assert (await client.command("dsh.status"))["pendingSends"] == 0

    async def after(client: RawClient) -> None:
        await begin(client, desk)
        (told,) = await client.until(lambda: messages(client))
        assert told["type"] == 2
        assert one_line(TEXT) in told["message"]
        assert "its session does not have it, so it can be sent again" in told["message"]
        assert (await client.command("dsh.status"))["pendingSends"] == 1
        client.open(URI, TEXT)
        refused = await client.command("dsh.send", uri=URI, target=made[0])
        assert refused["status"] == "pending"
        sent = await client.command("dsh.outbox", resend="left")
        assert sent["receipt"]["state"] == "captured"
        assert (sent["items"], sent["faults"], sent["problems"]) == ([], [], [])
        again = await client.command("dsh.outbox", resend="left")
        assert [each["code"] for each in again["problems"]] == ["not-sent-again"]
        assert len(messages(client)) == 1

    async def last(client: RawClient) -> None:
        await begin(client, desk)
        assert (await client.command("dsh.outbox"))["items"] == []
        assert messages(client) == []

    run(before)
    leave_behind(desk, made[0])
    run(after)
    run(last)
    assert list((desk.embedded / "outbox").iterdir()) == []


def test_a_server_that_sends_is_known_to_others_until_it_dies(desk: Desk) -> None:
    made: list[str] = []

    async def create(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, TEXT)
        made.append((await client.command("dsh.newSession", uri=URI))["target"]["sessionId"])

    async def other(client: RawClient) -> None:
        await begin(client, desk)
        (item,) = (await client.command("dsh.outbox"))["items"]
        assert (item["standing"], item["mayBeSentAgain"]) == ("sending", False)
        answer = await client.command("dsh.outbox", resend="left")
        assert [each["code"] for each in answer["problems"]] == ["harness-refused"]
        holder.die()
        (item,) = (await client.command("dsh.outbox"))["items"]
        assert (item["standing"], item["mayBeSentAgain"]) == ("missing", True)

    run(create)
    leave_behind(desk, made[0])
    holder = Holder(desk.embedded / "outbox", "left")
    run(other)
