"""A prompt that a server has kept outlives it, and is sent by another one when asked, once."""

from __future__ import annotations

import asyncio

from tests.support.desk import Desk
from tests.support.raw_client import RawClient, raw_client
from tests.support.raw_stories import URI, begin, run

TEXT = "What did we decide?"


def test_a_kept_prompt_outlives_a_server_that_is_killed(desk: Desk) -> None:
    kept: list[str] = []

    async def keep() -> None:
        async with raw_client() as client:
            await begin(client, desk)
            client.open(URI, TEXT)
            target = (await client.command("dsh.newSession", uri=URI))["target"]["sessionId"]
            answer = await client.command("dsh.send", uri=URI, target=target, keep=True)
            assert (answer["status"], answer["sessionId"]) == ("kept", target)
            kept.append(answer["requestId"])
        # The server had no chance to end: its client killed it.

    async def send(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, TEXT)
        assert (await client.command("dsh.status"))["pendingSends"] == 1
        (item,) = (await client.command("dsh.outbox"))["items"]
        assert (item["requestId"], item["standing"], item["text"]) == (kept[0], "kept", TEXT)
        sent = await client.command("dsh.outbox", resend=kept[0])
        assert sent["receipt"]["state"] == "captured"
        assert sent["items"] == []
        told = [each for each in client.notifications if each["method"] == "window/showMessage"]
        assert told == []  # nobody worries about what its user keeps

    async def send_again(client: RawClient) -> None:
        await begin(client, desk)
        again = await client.command("dsh.outbox", resend=kept[0])
        assert [each["code"] for each in again["problems"]] == ["not-sent-again"]
        assert again["items"] == []

    asyncio.run(keep())
    run(send)
    run(send_again)
    assert list((desk.embedded / "outbox").iterdir()) == []
