"""The end of the story: hover, preview, send, and what the target's log holds afterwards."""

from __future__ import annotations

from dsh_lsp.core.display import byte_size
from dsh_lsp.core.uri import encode
from dsh_lsp.demo.buffer import Buffer, Json
from dsh_lsp.demo.stage import Stage, expect
from dsh_lsp.harness.embedded.stored import read_events
from dsh_lsp.sessions.inventory import Inventory
from dsh_lsp.sessions.store import SessionStore


async def hover(stage: Stage, buffer: Buffer) -> None:
    """Look at what is behind a mention."""
    stage.screen.step("6  Hover: what the model would see of a session, and what is left out")
    offset = buffer.text.index(encode(stage.ids["rendering"]))
    markdown = await stage.editor.hover(buffer, offset)
    stage.screen.hover(markdown.replace(str(stage.folders.root), "…"), lines=40)
    expect("compacted: `yes`" in markdown, "a hover that knows the session was compacted")


async def preview(stage: Stage, buffer: Buffer) -> None:
    """Look at the whole message before it is sent."""
    stage.screen.step("7  Preview: the whole message, prepared here; nothing is sent yet")
    prepared = await stage.editor.command("dsh.preview", {"uri": buffer.uri})
    stage.screen.quote("the prompt, with readable labels", prepared["text"], lines=12)
    stage.screen.facts([(f"@{each['label']}", _figures(each)) for each in prepared["references"]])
    stage.screen.quote("its context, a message of its own", prepared["context"], lines=8)
    expect(len(prepared["references"]) == 3, "three sources")
    expect("dsh-session:" not in prepared["text"], "readable labels in place of URIs")


async def send(stage: Stage, buffer: Buffer, target: str) -> None:
    """Send the prompt, once."""
    stage.screen.step("8  Send: to the embedded harness, which records it and needs no model")
    arguments = {"uri": buffer.uri, "version": buffer.version}
    sent = await stage.editor.command("dsh.send", arguments)
    receipt = sent.get("receipt", {})
    stage.screen.facts(
        [
            ("status", sent["status"]),
            ("session", sent["sessionId"]),
            ("receipt", f"{receipt.get('state')}, record {receipt.get('messageSeq')}"),
            ("differences", str(receipt.get("differences", "none"))),
        ]
    )
    expect(sent["status"] == "accepted" and sent["sessionId"] == target, "an accepted prompt")
    expect(receipt.get("state") == "captured", "a receipt that says “captured”")
    expect("differences" not in receipt, "that the log holds what the preview showed")


async def read_back(stage: Stage, target: str) -> None:
    """Read the target's log with the store reader, as any other program would."""
    stage.screen.step("9  The target's log, read back from disk")
    store = stage.folders.embedded / "sessions"
    surface = await SessionStore(store).read_surface(target)
    # A surface keeps only what may be quoted, and a snapshot may not, so the records are read too.
    events = read_events(Inventory(store).find(target))
    messages = [event for event in events if event["type"] == "user/message"]
    kinds = [message["data"]["source"]["kind"] for message in messages]
    expect(kinds == ["user", "session-reference"], "the prompt, and the snapshot right behind it")
    prompt, snapshot = messages
    stage.screen.facts([("title", surface.display_title)])
    text = _text(prompt)
    stage.screen.quote(f"record {prompt['seq']}, the user's message", text, lines=12)
    expect("dsh-session:" not in text, "readable labels in the recorded prompt")
    references = snapshot["data"]["source"]["references"]
    stage.screen.say(f"Record {snapshot['seq']}, right behind it, is the frozen snapshot of:")
    stage.screen.facts([(f"@{each['label']}", _figures(each)) for each in references])
    expect(len(references) == 3, "three sources in the snapshot")


def _figures(reference: Json) -> str:
    """What a snapshot kept of its source."""
    size = f"{byte_size(reference['bytes'])}, " if "bytes" in reference else ""
    kept = f"{size}{reference['retainedMessages']} of {reference['originalMessages']} messages"
    if reference["compacted"]:
        kept += ", compacted"
    if reference["truncated"]:
        kept += (
            f", omits {reference['omittedMessages']} messages ({reference['omittedBytes']:,} bytes)"
        )
    return kept


def _text(node: Json) -> str:
    return "\n".join(block["text"] for block in node["data"]["content"])
