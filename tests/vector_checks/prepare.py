"""prepare.jsonl: untrusted references and the sessions they name, as one context message."""

from __future__ import annotations

from typing import Any

import anyio

from dsh_lsp.core.envelope import CLOSING_TAG, OPENING_TAG
from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.events import SessionHeader
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.mentions import Reference
from dsh_lsp.core.prepare import ContextMessage, Prepared, accept, read_references
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from tests.support.fake_query import FakeQuery
from tests.vector_checks.refusal import Refused
from tests.vector_checks.shape import expect_keys


def run(given: dict[str, Any]) -> dict[str, Any]:
    """The JSON between the tags and the message's source, or that there is no message."""
    expect_keys(given, ("targetId", "references", "sessions", "maxReferences", "maxReferenceBytes"))
    try:
        prepared = _prepare(given)
    except SessionReferenceError as error:
        raise Refused(error.code) from error
    return {"context": None} if prepared.context is None else _shown(prepared.context)


def _prepare(given: dict[str, Any]) -> Prepared:
    limits = Limits(given["maxReferences"], given["maxReferenceBytes"])
    references: tuple[Reference, ...] = accept(
        read_references(given["references"]),
        target_id=given["targetId"],
        max_references=limits.max_references,
    )
    query = FakeQuery(surfaces={key: _surface(value) for key, value in given["sessions"].items()})
    resolver = SessionReferenceResolver(query, limits=limits)
    return anyio.run(resolver.prepare, Target(given["targetId"], None), "", references)


def _surface(session: dict[str, Any]) -> Surface:
    header, events = session["header"], session["events"]
    return Surface(
        header=SessionHeader(header["id"], header["createdAt"], 0, cwd=header.get("cwd")),
        captured_through_seq=events[-1]["seq"] if events else None,
        nodes=tuple(events),
    )


def _shown(context: ContextMessage) -> dict[str, Any]:
    _, _, inside = context.text.partition(f"{OPENING_TAG}\n")
    json, _, _ = inside.partition(f"\n{CLOSING_TAG}")
    references = [
        # The host that gave the vectors did not record the format.
        {name: value for name, value in each.items() if name != "capturedFormatVersion"}
        for each in context.source["references"]
    ]
    return {"json": json, "source": {**context.source, "references": references}}
