"""The first half of the story: a target, and a prompt written with completion."""

from __future__ import annotations

from dsh_lsp.core.uri import encode
from dsh_lsp.demo.buffer import Buffer, Json
from dsh_lsp.demo.editor import edits_of
from dsh_lsp.demo.screen import Row
from dsh_lsp.demo.stage import Stage, expect, one

ASK = "Plan the year view of Ebb.\n\n"

_KINDS = {17: "file", 18: "session", 19: "folder"}  # LSP's CompletionItemKind


async def choose_target(stage: Stage) -> tuple[Buffer, str]:
    """Open a new prompt, create its target and write it into the front matter."""
    screen, editor = stage.screen, stage.editor
    screen.step("2  A new prompt, and the session that it goes to")
    buffer = editor.open(stage.folders.workspace / "ask.dsh.md", ASK)
    screen.say("Command dsh.newSession, then the code action that the server offers:")
    answer = await editor.command("dsh.newSession", {"uri": buffer.uri})
    expect(not answer["problems"], "a new session")
    target = str(answer["target"]["sessionId"])
    start = {"line": 0, "character": 0}
    actions = await editor.actions(buffer, {"start": start, "end": start}, [])
    action = one(actions, "a code action that writes the target into the front matter")
    before = buffer.text
    editor.apply(buffer, edits_of(action, buffer))
    screen.change(action["title"], before, buffer.text)
    expect(target in buffer.text, "the target's id in the front matter")
    return buffer, target


async def complete(stage: Stage, buffer: Buffer) -> None:
    """Type a mention and accept a row, twice."""
    stage.screen.step("3  Completion: @ offers files and sessions")
    stage.screen.say("The user types “- 参考@”:")
    stage.editor.type(buffer, "- 参考@")
    rows = await _menu(stage, buffer, chosen=None)
    kinds = {_KINDS.get(row["kind"]) for row in rows}
    expect({"file", "session"} <= kinds, "files and sessions in one menu")
    stage.screen.say("… goes on with “潮汐”, and accepts the row:")
    stage.editor.type(buffer, "潮汐")
    rows = await _menu(stage, buffer, chosen=0)
    _accept(stage, buffer, one(rows, "a session whose title holds 潮汐"))
    expect(encode(stage.ids["time-zones"]) in buffer.text, "its mention in the prompt")


async def complete_path(stage: Stage, buffer: Buffer, typed: str, wanted: str) -> None:
    """Put right the path at the end of the prompt: type `typed` and accept the file `wanted`."""
    stage.screen.say(f"For the file no fix is offered, so the user types {typed} again:")
    start = buffer.text.rindex("@")
    stage.editor.change(buffer, buffer.text[:start] + typed)
    rows = await _menu(stage, buffer, chosen=0)
    _accept(stage, buffer, one(rows, f"the file {wanted}"))
    expect(buffer.text.endswith(f"@{wanted}"), f"@{wanted} at the end of the prompt")
    stage.editor.type(buffer, "\n")


async def _menu(stage: Stage, buffer: Buffer, chosen: int | None) -> list[Json]:
    rows = await stage.editor.complete(buffer, len(buffer.text))
    stage.screen.menu([_row(stage, row) for row in rows], chosen)
    return rows


def _row(stage: Stage, item: Json) -> Row:
    detail = item.get("labelDetails", {}).get("description", "")
    detail = detail.replace(str(stage.folders.root), "…")
    return Row(_KINDS.get(item["kind"], "other"), item["label"], detail)


def _accept(stage: Stage, buffer: Buffer, row: Json) -> None:
    before = buffer.text
    edit = row["textEdit"]
    place = edit.get("replace") or edit["range"]
    stage.editor.apply(buffer, [{"range": place, "newText": edit["newText"]}])
    stage.screen.change(f"accepted “{row['label']}”", before, buffer.text)
