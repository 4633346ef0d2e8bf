"""Stories told to a fresh server by a raw client, and the questions that they ask."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.desk import Desk
from tests.support.raw_client import RawClient, raw_client

URI = "untitled:prompt"

PULL: dict[str, Any] = {"textDocument": {"diagnostic": {}}}

HOVER = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 3}}

Story = Callable[[RawClient], Awaitable[None]]


def run(story: Story, *arguments: str) -> None:
    """Play a story with a fresh server, which must end well and have said nothing else."""

    async def main() -> None:
        async with raw_client(*arguments) as client:
            await story(client)
            code, said = await client.end()
            assert (code, said, client.torn, client.unmatched) == (0, b"", b"", [])

    asyncio.run(main())


async def begin(client: RawClient, desk: Desk, **more: Any) -> None:
    given = {
        "rootUri": desk.project.as_uri(),
        "initializationOptions": desk.settings,
        "capabilities": PULL,
    }
    await client.initialize(**{**given, **more})


async def pulled(client: RawClient, uri: str = URI) -> list[dict[str, Any]]:
    params = {"textDocument": {"uri": uri}}
    return list((await client.result("textDocument/diagnostic", params))["items"])


def codes(problems: list[dict[str, Any]]) -> list[str]:
    return [problem["code"] for problem in problems]


async def completed(client: RawClient, character: int, uri: str = URI) -> list[str]:
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": character}}
    found = await client.result("textDocument/completion", params)
    return [item["label"] for item in found["items"]]
