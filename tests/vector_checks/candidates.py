"""candidates.jsonl: which sessions a mention could name, in which order, and which titles it took.

The service answers over a query that holds the given sessions.
"""

from __future__ import annotations

from typing import Any

import anyio

from dsh_lsp.core.candidates import Candidate, check_limit
from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.events import SessionHeader
from dsh_lsp.sessions.query import SessionEntry, SessionTitle
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from tests.support.fake_query import FakeQuery
from tests.vector_checks.refusal import Refused
from tests.vector_checks.shape import expect_keys, expect_text


def run(given: dict[str, Any]) -> dict[str, Any]:
    """The candidates, and the ids whose titles were asked for."""
    expect_keys(given, ("agentId", "sessions"), ("agentCwd", "query", "limit", "candidateLimit"))
    query = FakeQuery(
        sessions=[_entry(session) for session in given["sessions"]],
        titles={
            session["id"]: SessionTitle(session["title"])
            for session in given["sessions"]
            if "title" in session and not session.get("titleError")
        },
    )
    target = Target(expect_text(given["agentId"]), given.get("agentCwd"))
    try:
        limit = check_limit(given["limit"]) if "limit" in given else None
        resolver = _resolver(query, given)
        found = anyio.run(resolver.list_candidates, target, given.get("query", ""), limit)
    except SessionReferenceError as error:
        raise Refused(error.code) from error
    return {
        "candidates": [_shown(candidate) for candidate in found],
        "titlesReadFor": [each for batch in query.title_batches for each in batch],
    }


def _resolver(query: FakeQuery, given: dict[str, Any]) -> SessionReferenceResolver:
    if "candidateLimit" in given:
        return SessionReferenceResolver(
            query, limits=Limits(), candidate_limit=given["candidateLimit"]
        )
    return SessionReferenceResolver(query, limits=Limits())


def _entry(session: dict[str, Any]) -> SessionEntry:
    expect_keys(session, ("id", "createdAt"), ("cwd", "title", "titleError"))
    header = SessionHeader(
        session["id"], session["createdAt"], format_version=0, cwd=session.get("cwd")
    )
    return SessionEntry(header, revision="", origin="vector")


def _shown(candidate: Candidate) -> dict[str, Any]:
    cwd = {} if candidate.cwd is None else {"cwd": candidate.cwd}
    return {
        "sessionId": candidate.session_id,
        "label": candidate.display_title,
        "createdAt": candidate.created_at,
        **cwd,
    }
