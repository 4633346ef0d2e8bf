"""The assembled path without any key: from an empty prompt to two messages in the target's log.

What an editor sees at each step is compared with story.json; `UPDATE_STORY=1` writes it anew.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

from dsh_lsp.harness.embedded.stored import read_events
from dsh_lsp.pages import page_uri
from dsh_lsp.sessions.inventory import Inventory
from tests.support.desk import Desk
from tests.support.log_script import Script
from tests.support.paper import Paper
from tests.support.raw_client import RawClient, raw_client
from tests.support.store_writer import write_log

STORY = Path(__file__).with_name("story.json")

URI = "untitled:prompt"

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "completion": {"completionItem": {"insertReplaceSupport": True}},
        "hover": {"contentFormat": ["markdown"]},
        "diagnostic": {},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    },
}


class Editor:
    """Types, accepts and fixes, and writes down what it sees."""

    def __init__(self, client: RawClient) -> None:
        self._client = client
        self._version = 0
        self.paper = Paper("", "utf-16")
        self.seen: list[list[Any]] = []

    def write(self, text: str) -> None:
        self._version += 1
        self.paper = Paper(text, "utf-16")
        if self._version == 1:
            self._client.open(URI, text)
        else:
            self._client.change(URI, self._version, {"text": text})

    async def ask(self, method: str, **params: Any) -> Any:
        document = {"textDocument": {"uri": URI}}
        reply = await self._client.result(f"textDocument/{method}", {**document, **params})
        self.seen.append([method, reply])
        return reply

    async def command(self, name: str, **argument: Any) -> Any:
        reply = await self._client.command(name, uri=URI, version=self._version, **argument)
        self.seen.append([name, reply])
        return reply

    async def complete_and_accept(self) -> None:
        """Accept the first row at the end of the text."""
        position = self.paper.position(len(self.paper.text))
        found = await self.ask("completion", position=position)
        edit = found["items"][0]["textEdit"]
        self.write(self.paper.edited([{"range": edit["replace"], "newText": edit["newText"]}]))

    async def fix_everything(self) -> None:
        whole = {"start": self.paper.position(0), "end": self.paper.position(len(self.paper.text))}
        context = {"diagnostics": [], "only": ["source.fixAll.dsh"]}
        (action,) = await self.ask("codeAction", range=whole, context=context)
        self.write(self.paper.edited(action["edit"]["changes"][URI]))


async def play(desk: Desk) -> list[list[Any]]:
    """The story; returns what was seen, the target's log included."""
    async with raw_client() as client:
        options = {"initializationOptions": desk.settings, "rootUri": desk.project.as_uri()}
        await client.initialize(capabilities=CAPABILITIES, **options)
        editor = Editor(client)
        editor.write("How did we 修理 the parser? See @pars")
        await editor.complete_and_accept()
        editor.write(f"{editor.paper.text} and @no")
        await editor.complete_and_accept()
        await editor.ask("diagnostic")
        mention = editor.paper.text.index("@[")
        await editor.ask("hover", position=editor.paper.position(mention + 3))
        editor.write(editor.paper.text.replace("@[Fix the parser]", "@[An old name]"))
        await editor.ask("diagnostic")
        await editor.fix_everything()
        await editor.ask("diagnostic")
        await editor.command("dsh.prepare")
        await editor.command("dsh.send")
        sent = await editor.command("dsh.send", target="new")
        assert await client.end() == (0, b"")
    events = read_events(Inventory(desk.embedded / "sessions").find(sent["sessionId"]))
    messages = [event["data"] for event in events if event["type"] == "user/message"]
    return [*editor.seen, ["log", messages]]


def normalized(seen: Any) -> Any:
    """The same without what differs from run to run."""
    text = json.dumps(seen, ensure_ascii=False, indent=1)
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID", text)
    text = re.sub(r"\d+ y ago", "AGE", text)
    text = re.sub(r'("resultId": )"[\w-]+"', r'\1"RESULT"', text)
    text = text.replace(page_uri("diagnostics.md"), "PAGE")
    return json.loads(text)


def test_the_story(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "project", tmp_path / "home", tmp_path / "embedded")
    desk.project.mkdir()
    (desk.project / "notes.md").write_text("some notes\n")
    source = Script("session-1", version=4, cwd="/project")  # its length is part of the figures
    source.exchange("Please fix the parser.", "It was a loop.")
    source.title("Fix the parser")
    write_log(desk.home / "sessions", source)
    seen = normalized(asyncio.run(play(desk)))
    if os.environ.get("UPDATE_STORY"):
        STORY.write_text(json.dumps(seen, ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert seen == json.loads(STORY.read_text("utf-8"))
    direct, context = seen[-1][1]
    assert direct["content"][0]["text"].startswith("How did we 修理 the parser? See @Fix")
    assert context["source"]["kind"] == "session-reference"
