"""The records of a compaction: a checkpoint replaces everything but the latest answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsh_lsp.core.log.events import Event
from dsh_lsp.harness.embedded.answer import Speaker, token_count, usage
from dsh_lsp.harness.embedded.draft import Draft
from dsh_lsp.harness.embedded.message import checkpoint
from dsh_lsp.harness.embedded.responder import all_text, model_input, plural

INTRODUCTION = (
    "The earlier part of this conversation was replaced by the summary below. Go on from it as "
    "from a conversation that took place; do not answer the summary.\n\n<compacted-summary>"
)
CLOSING = "</compacted-summary>"

MAX_SUMMARY_TOKENS = 65_536


@dataclass(frozen=True, slots=True)
class Names:
    """The ids that tie the records of one compaction together."""

    command: str
    compaction: str

    @property
    def data(self) -> dict[str, str]:
        """The fields that name both in a log."""
        return {"compactionId": self.compaction, "sourceCommandId": self.command}


def compactable(nodes: Sequence[Event]) -> Sequence[Event]:
    """What a compaction would take away: everything between the system message and last answer."""
    answers = [at for at, node in enumerate(nodes) if node["type"] == "assistant/message"]
    start = 1 if nodes and nodes[0]["type"] == "system/message" else 0
    taken = nodes[start : answers[-1]] if answers else []
    return taken if any(not _is_checkpoint(node) for node in taken) else []


def started(names: Names) -> tuple[Draft, ...]:
    """A person asked for a compaction, and it began."""
    run = {"commandId": names.command, "name": "compact", "args": "", "source": {"kind": "user"}}
    return (
        Draft("command/run", run),
        Draft("compaction/start", {**names.data, "turn": None}),
    )


def summarized(
    names: Names,
    nodes: Sequence[Event],
    summary: str,
    speaker: Speaker,
    *,
    message_id: str,
    start_seq: int,
    first: int,
) -> tuple[Draft, ...]:
    """The checkpoint replaces `nodes`, and the compaction is finished.

    `start_seq` is the sequence number of the compaction's start, `first` of the first record here.
    """
    seqs = [node["seq"] for node in nodes]
    given = all_text(model_input(nodes))
    blocks = [{"type": "text", "text": summary}]
    record = {
        **names.data,
        "summary": blocks,
        "rawOutput": blocks,
        "llmStreamCall": True,
        "shadowedRange": {"start": seqs[0], "end": seqs[-1]},
        "shadowedSeqs": seqs,
        "shadowedTokenCount": token_count(given),
        "provider": speaker.provider,
        "model": speaker.model,
        "maxTokens": MAX_SUMMARY_TOKENS,
        "usage": usage(given, summary),
    }
    message = checkpoint(
        message_id,
        [INTRODUCTION, summary, CLOSING],
        compaction_id=names.compaction,
        command_id=names.command,
    )
    done = {
        "commandId": names.command,
        "kind": "success",
        "text": f"{plural(len(nodes), 'message')} replaced by a summary.",
        "sourceEventSeq": first,
    }
    replace = {"op": "replace", "startSeq": seqs[0], "endSeq": seqs[-1]}
    return (
        Draft("compaction/summary", record),
        Draft("user/message", message.record, [start_seq, first, *seqs], replace),
        Draft("compaction/end", {**names.data, "turn": None}),
        Draft("command/done", done),
    )


def abandoned(names: Names, text: str) -> tuple[Draft, ...]:
    """The compaction came to nothing; the conversation stays as it was."""
    return (
        Draft("compaction/end", {**names.data, "turn": None}),
        Draft("command/done", {"commandId": names.command, "kind": "error", "text": text}),
    )


def _is_checkpoint(node: Event) -> bool:
    kind = node["data"]["source"]["kind"] if node["type"] == "user/message" else None
    return bool(kind == "compact-checkpoint")
