"""What commands answer, as JSON (docs/commands.md). Sizes are UTF-8 bytes, times Unix ms."""

from __future__ import annotations

from collections.abc import Sequence

from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.display import age, fenced
from dsh_lsp.core.names import mention_label
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.text import Unit
from dsh_lsp.core.uri import encode
from dsh_lsp.harness.port import Description, OutboxFault, Pending
from dsh_lsp.server.completion import mention_of
from dsh_lsp.server.convert import problem_json
from dsh_lsp.server.documents import Document
from dsh_lsp.server.facts_json import Json, receipt_json, references_json
from dsh_lsp.server.markdown import brief, code, escaped
from dsh_lsp.server.preparing import Preparation
from dsh_lsp.server.preview import budget_line
from dsh_lsp.server.sending import Sent
from dsh_lsp.server.target import Decision


def problems_json(document: Document, problems: Sequence[Problem], unit: Unit) -> list[Json]:
    """All problems of a command."""
    return [problem_json(document, problem, unit) for problem in problems]


def preparation_json(document: Document, preparation: Preparation, unit: Unit) -> Json:
    """The result of `dsh.prepare`; `text` and `context` are null when an error forbids them."""
    prepared = preparation.prepared
    context = prepared.context if prepared else None
    return {
        "text": prepared.text if prepared else None,
        "references": references_json(prepared),
        "context": context.text if context else None,
        "problems": problems_json(document, preparation.problems, unit),
    }


def harness_json(description: Description) -> Json:
    """What a harness says of itself."""
    return {"name": description.name, "version": description.version}


def sent_json(document: Document, sent: Sent, unit: Unit) -> Json:
    """The result of `dsh.send`."""
    prepared = sent.order.preparation.prepared
    result: Json = {
        "status": sent.status.value,
        "requestId": sent.order.request_id,
        "sessionId": sent.session_id,
        "mode": sent.order.mode.value,
        "text": prepared.text if prepared else None,
        "references": references_json(prepared),
        "problems": problems_json(document, sent.problems, unit),
    }
    if sent.receipt is not None:
        result["receipt"] = receipt_json(sent.receipt, expanded=sent.order.expanded)
    return result


def pending_json(item: Pending) -> Json:
    """One prompt of the outbox."""
    outgoing = item.outgoing
    result: Json = {
        "requestId": outgoing.request_id,
        "sessionId": outgoing.session_id,
        "mode": outgoing.mode.value,
        "text": outgoing.text,
        "document": item.document,
        "createdAt": item.created_at,
        "standing": item.standing.value,
        "message": item.in_words(),
        "mayBeSentAgain": item.may_be_sent_again,
    }
    if item.receipt is not None:
        result["receipt"] = receipt_json(item.receipt)
    return result


def outbox_fault_json(fault: OutboxFault) -> Json:
    """Something in the outbox that is no prompt."""
    return {"place": fault.place, "message": fault.message}


def target_json(decision: Decision, title: str | None, cwd: str | None) -> Json:
    """The target of a document, and who named it."""
    return {
        "sessionId": decision.session_id,
        "new": decision.new,
        "created": decision.created,
        "source": decision.source.value if decision.source else None,
        "title": title,
        "cwd": cwd,
    }


def candidate_json(candidate: Candidate, now: int) -> Json:
    """One row of a picker; `mention` is what choosing it would write. `now` is Unix ms."""
    return {
        "sessionId": candidate.session_id,
        "uri": encode(candidate.session_id),
        "mention": mention_of(candidate),
        "displayTitle": mention_label(candidate.display_title),
        "title": candidate.title,
        "label": candidate.label,
        "cwd": candidate.cwd,
        "createdAt": candidate.created_at,
        "age": age(candidate.created_at, now),
    }


def preview_document(preparation: Preparation) -> str:
    """What the model will see, as Markdown in which no content is live."""
    parts = ["# What will be sent"]
    parts.extend(
        f"- **{escaped(problem.severity.value)}** {escaped(brief(problem.message))}"
        for problem in preparation.problems
    )
    prepared = preparation.prepared
    if prepared is None:
        return "\n\n".join([*parts, "Nothing can be sent until the errors are corrected."])
    parts.append(fenced(prepared.text))
    for source in prepared.sources:
        title = code(brief(source.display_title))
        parts.append(f"- {title}: {budget_line(source.snapshot)}")
    if prepared.context:
        parts.append("## Context beside it, as this program words it; a harness has its own words")
        parts.append(fenced(prepared.context.text))
    return "\n\n".join(parts)
