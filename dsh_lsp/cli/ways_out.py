"""What to do at a shell about a prompt that was not sent, by the code of the problem."""

from __future__ import annotations

from collections.abc import Mapping

WAYS_OUT: Mapping[str, str] = {
    "no-target": "name one with --target SESSION (`dsh-lsp sessions --targets` lists them), or "
    "--target new",
    "unknown-target": "`dsh-lsp sessions --targets` lists the sessions that prompts can go to; "
    "--target new makes one",
    "no-harness": "start `dsh web` and send again; or --keep keeps it in the outbox until you send "
    "it from there; or `dsh-lsp preview` prints the message for another chat; or --set "
    "harness.mode=embedded records it here, without a model",
    "needs-session": "name one with --target SESSION (`dsh-lsp sessions --targets` lists them); or "
    "`dsh-lsp preview` prints the message for another chat",
    "cannot-resolve": "--set send.expand=true sends it expanded by dsh-lsp; or `dsh-lsp preview` "
    "prints the message; or start the harness with its service session-reference",
    "already-kept": "`dsh-lsp outbox` shows that prompt, sends it, or forgets it",
    "already-sent": "`dsh-lsp outbox` shows that prompt, sends it again, or forgets it",
    "outcome-unknown": "`dsh-lsp outbox` looks for it in its session",
}

WAYS_OUT_OF_KEEPING: Mapping[str, str] = {
    **WAYS_OUT,
    "no-target": "name one with --target SESSION (`dsh-lsp sessions --targets` lists them); a "
    "prompt cannot be kept for a new one",
}
"""The same about a prompt that was not kept."""
