"""The demo from its first to its last step."""

from __future__ import annotations

import time
from pathlib import Path

from dsh_lsp.demo import checking, sending, writing
from dsh_lsp.demo.client import running_server
from dsh_lsp.demo.editor import Editor
from dsh_lsp.demo.samples import SAMPLES
from dsh_lsp.demo.screen import Row, Screen
from dsh_lsp.demo.stage import Folders, Stage, expect
from dsh_lsp.demo.store import write_store, write_workspace

BUDGET = 4096
"""Bytes of one source here, so that the longest sample does not fit."""


async def tell(screen: Screen, root: Path) -> None:
    """The whole story, in an empty folder. Raises `StepFailedError` and `ServerError`."""
    started = time.monotonic()
    screen.title("dsh-lsp: mentions of past sessions in your prompts, checked before you send")
    folders = Folders(root)
    write_workspace(folders.workspace)
    ids = write_store(folders.store, root, SAMPLES, now=time.time_ns() // 1_000_000)
    before = _tree(folders.store)
    async with running_server({"DSH_HOME": str(folders.home)}) as client:
        stage = Stage(Editor(client), screen, folders, ids)
        await _start(stage)
        buffer, target = await writing.choose_target(stage)
        await writing.complete(stage, buffer)
        await checking.show_faults(stage, buffer, target)
        await checking.correct(stage, buffer)
        await sending.hover(stage, buffer)
        await sending.preview(stage, buffer)
        await sending.send(stage, buffer, target)
    await sending.read_back(stage, target)
    expect(_tree(folders.store) == before, "that the user's session store is as it was")
    screen.step("Done")
    screen.say(
        f"All of it took {time.monotonic() - started:.1f} s. The sample store is byte for byte as "
        "it was, and the temporary folder goes now. Your turn: README.md tells how to add dsh-lsp "
        "to your editor."
    )


async def _start(stage: Stage) -> None:
    """Start the session of an editor, and list the sample store through the server."""
    stage.screen.step("1  The editor starts the server on a store of sample sessions")
    result = await stage.editor.start(
        stage.folders.workspace,
        {
            "cache": {"enabled": False},  # nothing of the demo stays behind
            "harness": {"mode": "embedded"},
            "embedded": {"root": str(stage.folders.embedded)},
            "references": {"maxReferenceBytes": BUDGET},
        },
    )
    found = await stage.editor.command("dsh.sessions", {})
    server = result["serverInfo"]
    root = str(stage.folders.root)
    stage.screen.facts(
        [
            ("server", f"{server['name']} {server['version']}, over standard input and output"),
            ("store", str(stage.folders.store).replace(root, "…")),
            ("workspace", str(stage.folders.workspace).replace(root, "…")),
        ]
    )
    rows = [Row("session", item["displayTitle"], item["sessionId"]) for item in found["items"]]
    stage.screen.menu(rows, None)
    expect(len(rows) == len(SAMPLES), f"{len(SAMPLES)} sessions")


def _tree(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder with what it holds, and every folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }
