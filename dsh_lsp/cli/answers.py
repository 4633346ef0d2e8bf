"""What `preview` and `send` answer as one JSON object (docs/command-line.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dsh_lsp.cli.preparation import PreparedFile
from dsh_lsp.cli.report_json import problems_json
from dsh_lsp.core.budget import Budget
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.retention import Snapshot
from dsh_lsp.server.facts_json import budget_json, receipt_json, references_json, snapshot_json
from dsh_lsp.server.sending import Sent


def as_json(answer: dict[str, Any]) -> str:
    """ASCII JSON and a line end."""
    return json.dumps(answer, indent=2) + "\n"


def preview_answer(found: PreparedFile, problems: Sequence[Problem]) -> dict[str, Any]:
    """A prompt as the model would see it; `text` and `context` are null when it may not be sent."""
    prepared = found.preparation.prepared
    context = prepared.context if prepared else None
    return {
        "text": prepared.text if prepared else None,
        "context": context.text if context else None,
        "references": references_json(found.preparation.prepared),
        "budget": budget_json(found.budget),
        "problems": problems_json(found.file.text, problems),
    }


def session_answer(snapshot: Snapshot, budget: Budget) -> dict[str, Any]:
    """One session as a prompt would carry it."""
    return {
        **snapshot_json(snapshot),
        "conversation": [{"role": each.role, "text": each.text} for each in snapshot.conversation],
        "rule": budget.rule,
    }


def sent_answer(found: PreparedFile, sent: Sent) -> dict[str, Any]:
    """What became of a prompt."""
    return {
        "status": sent.status.value,
        "requestId": sent.order.request_id,
        "sessionId": sent.session_id,
        "mode": sent.order.mode.value,
        "references": references_json(found.preparation.prepared),
        "receipt": _receipt(sent),
        "problems": problems_json(found.file.text, sent.problems),
    }


def _receipt(sent: Sent) -> dict[str, Any] | None:
    if sent.receipt is None:
        return None
    return receipt_json(sent.receipt, expanded=sent.order.expanded)
