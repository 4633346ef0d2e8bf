"""Settings of any shape, given at the start, pushed or pulled, and changed live."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.desk import Desk
from tests.support.raw_client import RawClient
from tests.support.raw_stories import HOVER, PULL, URI, begin, codes, pulled, run


def test_wrong_settings_are_told_once_and_cost_only_themselves(desk: Desk) -> None:
    wrong = {**desk.settings, "hover": {"enabled": "yes"}, "references": {"maxReferences": 9}}

    async def story(client: RawClient) -> None:
        await begin(client, desk, initializationOptions={"dsh": wrong})
        client.notify("workspace/didChangeConfiguration", {"settings": {"dsh": {}}})
        client.open(URI, "hello")
        assert (await client.command("dsh.status", uri=URI))["mode"] == "embedded"
        shown = [
            each["params"]
            for each in client.notifications
            if each["method"] == "window/showMessage"
        ]
        assert len(shown) == 1
        assert shown[0]["type"] == 2
        for path in ("dsh.hover.enabled", "dsh.references.maxReferences"):
            assert path in shown[0]["message"]

    run(story)


@pytest.mark.parametrize("options", [None, 3, [], "x", {"dsh": 3}, {"dsh": None}, {"home": 5}])
def test_settings_of_any_shape(desk: Desk, options: Any) -> None:
    async def story(client: RawClient) -> None:
        await begin(client, desk, initializationOptions=options)
        client.notify("workspace/didChangeConfiguration", {"settings": options})
        client.open(URI, "@[x](dsh-session:bad=)")
        assert codes(await pulled(client)) == ["SESSION_REFERENCE_INVALID_REFERENCE"]

    run(story, "--home", str(desk.home))


def test_settings_change_live_when_pushed(desk: Desk) -> None:
    uri = desk.remember("session-1", "Title", "hi", "yo")

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, f"@[Old]({uri}) @[Old]({uri})")
        assert codes(await pulled(client)) == ["stale-label", "duplicate-reference", "stale-label"]
        assert await client.result("textDocument/hover", HOVER)
        changed = {"hover": {"enabled": False}, "diagnostics": {"staleLabel": False}}
        client.notify("workspace/didChangeConfiguration", {"settings": {"dsh": changed}})
        assert codes(await pulled(client)) == ["duplicate-reference"]
        assert await client.result("textDocument/hover", HOVER) is None
        elsewhere = {"home": str(desk.home / "elsewhere")}
        client.notify("workspace/didChangeConfiguration", {"settings": elsewhere})
        assert "SESSION_REFERENCE_READ_FAILED" in codes(await pulled(client))

    run(story)


def test_settings_are_pulled_from_clients_that_can_be_asked(desk: Desk) -> None:
    capabilities = {
        **PULL,
        "workspace": {
            "configuration": True,
            "didChangeConfiguration": {"dynamicRegistration": True},
        },
    }

    async def story(client: RawClient) -> None:
        client.answers["workspace/configuration"] = [{**desk.settings, "hover": {"enabled": False}}]
        await begin(client, desk, initializationOptions=None, capabilities=capabilities)

        def asked() -> list[str]:
            return [each["method"] for each in client.requests]

        await client.until(lambda: "workspace/configuration" in asked())
        client.open(URI, "@[x](dsh-session:bad=)")
        assert await client.result("textDocument/hover", HOVER) is None
        await client.until(lambda: "client/registerCapability" in asked())
        client.answers["workspace/configuration"] = [desk.settings]
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert await client.result("textDocument/hover", HOVER) is not None
        assert asked().count("workspace/configuration") == 2

    run(story)
