"""The sample sessions in a folder that stays, to be played with."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from pathlib import Path

from dsh_lsp.core.mentions import format_mention
from dsh_lsp.demo.samples import SAMPLES
from dsh_lsp.demo.stage import Folders
from dsh_lsp.demo.store import write_store, write_workspace

PROMPT = "ask.dsh.md"


class NotEmptyError(Exception):
    """The folder holds something already; the message names it."""


def keep(root: Path) -> str:
    """Write the samples below `root`, and say what to do with them.

    Raises `NotEmptyError` before anything is written, and `OSError`.
    """
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise NotEmptyError(f"{root} is not an empty folder; name one that does not exist yet")
    folders = Folders(root)
    write_workspace(folders.workspace)
    ids = write_store(folders.store, root, SAMPLES, now=time.time_ns() // 1_000_000)
    (folders.workspace / PROMPT).write_text(_prompt(ids), "utf-8")
    return _what_to_do(folders)


def _prompt(ids: Mapping[str, str]) -> str:
    """A prompt with something to look at, and something to put right."""
    constituents = format_mention(ids["constituents"], "Which tidal constituents to keep")
    gauge = format_mention(ids["gauge"], "three years of Brest")
    printing = format_mention(ids["printing"], "Printed almanac: paper size and bleed")
    return (
        "---\ndsh:\n  session: new\n---\nPlan the year view of Ebb.\n\n"
        f"- Keep to {constituents}.\n"
        f"- The readings are in {gauge}; its label is an old one.\n"
        f"- {printing} has a damaged log: take this line out before you send.\n"
        "- Begin in @ebb/predct.py, which is misspelled.\n"
        "- Type an @ behind this: \n"
    )


def _what_to_do(folders: Folders) -> str:
    home, workspace = shlex.quote(str(folders.home)), shlex.quote(str(folders.workspace))
    embedded = (
        f"--set harness.mode=embedded --set embedded.root={shlex.quote(str(folders.embedded))}"
    )
    return f"""\
Sample sessions, their project and a prompt are in {folders.root}; your own sessions are left alone.
In this shell:

  export DSH_HOME={home}
  cd {workspace}

  dsh-lsp sessions                  what can be mentioned
  dsh-lsp check {PROMPT}          what is wrong with the prompt
  dsh-lsp preview session-sample-gauge

Then open {PROMPT} in an editor that you start from this shell, so that it knows DSH_HOME.
To send it without a model, once it has no errors:

  dsh-lsp send {PROMPT} {embedded}

Delete {folders.root} when you have seen enough.
"""
