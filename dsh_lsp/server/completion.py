"""The files and sessions that the token under the cursor could become."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.mentions import format_mention
from dsh_lsp.core.names import mention_label
from dsh_lsp.core.paths import format_path
from dsh_lsp.core.token import Opening, Token, token_at
from dsh_lsp.harness.port import FoundFile
from dsh_lsp.server.scene import Scene, reference_target
from dsh_lsp.server.unreadable import unreadable
from dsh_lsp.sessions.references import Target

FILE_LIMIT = 50

FILE_SECONDS = 0.15
"""How long files may take while sessions are there to be shown."""

SESSION_SECONDS = 1.0
"""How long sessions may take while files are there to be shown."""

ALONE_SECONDS = 3.0
"""How long files may take while there is nothing else to be shown."""

Row = TypeVar("Row")

_log = logging.getLogger("dsh_lsp.server")


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file or directory, and what accepting it writes in place of the token."""

    file: FoundFile
    text: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session, and the mention that accepting it writes in place of the token."""

    candidate: Candidate
    text: str
    readable: bool = True


@dataclass(frozen=True, slots=True)
class _Sessions:
    rows: tuple[SessionRow, ...]
    incomplete: bool


_NO_SESSIONS = _Sessions((), incomplete=False)


@dataclass(frozen=True, slots=True)
class Rows:
    """Everything that a token could become, files first. `incomplete` asks again while typing.

    `cwd` is where paths begin.
    """

    token: Token
    files: tuple[FileRow, ...]
    sessions: tuple[SessionRow, ...]
    incomplete: bool
    cwd: str | None


async def complete(scene: Scene, offset: int) -> Rows | None:
    """The rows for a cursor at a code-point offset, or None where no token is being typed.

    One source that fails, or is late, never empties the other.
    """
    token = token_at(scene.document.prompt, offset)
    if token is None:
        return None
    target = await reference_target(scene)
    sessions = asyncio.ensure_future(_sessions(scene, token, target))
    files = asyncio.ensure_future(_files(scene, token, target.cwd))
    try:
        found_files, found_sessions = await _both(files, sessions)
    finally:
        files.cancel()
        sessions.cancel()
    late = found_files is None or found_sessions is None
    files_now = tuple(found_files or ())
    sessions_now = found_sessions or _NO_SESSIONS
    # Editors match in ways of their own, so rows carry what was typed as their filter text, and a
    # list that has any must be asked for again. Without rows, typing on cannot bring one, unless
    # something was late or is unread: then alone an empty list would be wrong for the next key.
    # That is most keys of a prompt, and every source of the editor is left in peace at those.
    incomplete = late or sessions_now.incomplete or bool(files_now or sessions_now.rows)
    return Rows(token, files_now, sessions_now.rows, incomplete, target.cwd)


async def _both(
    files: asyncio.Future[Sequence[FileRow]], sessions: asyncio.Future[_Sessions]
) -> tuple[Sequence[FileRow] | None, _Sessions | None]:
    """Both results; None for the one that the other would have to wait for too long."""
    both: set[asyncio.Future[Any]] = {files, sessions}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if not files.done():
        seconds = FILE_SECONDS if sessions.result().rows else ALONE_SECONDS
        await asyncio.wait({files}, timeout=seconds)
    elif not sessions.done():
        await asyncio.wait({sessions}, timeout=SESSION_SECONDS if files.result() else None)
    return (
        files.result() if files.done() else None,
        sessions.result() if sessions.done() else None,
    )


async def _sessions(scene: Scene, token: Token, target: Target) -> _Sessions:
    if token.opening is Opening.QUOTE:
        return _NO_SESSIONS
    limit = scene.settings.references.candidate_limit
    try:
        found = await scene.memory.resolver.candidates_at_hand(target, token.query, limit)
    except Exception as fault:
        _log.warning("finding sessions failed with %s", type(fault).__name__)
        return _NO_SESSIONS
    sessions = found.candidates
    broken = await _or_nothing("titles", unreadable(scene.services.query, sessions))
    rows = (SessionRow(each, mention_of(each), each.session_id not in broken) for each in sessions)
    return _Sessions(tuple(rows), found.incomplete)


async def _files(scene: Scene, token: Token, cwd: str | None) -> Sequence[FileRow]:
    if token.opening is Opening.BRACKET or cwd is None or not scene.settings.files.enabled:
        return ()
    find = scene.services.files.find(cwd, token.query, FILE_LIMIT)
    found = await _or_nothing("files", find)
    quoted = token.opening is Opening.QUOTE
    rows = ((file, path_text(file, open_quote=quoted)) for file in found)
    return [FileRow(file, text) for file, text in rows if text is not None]


async def _or_nothing(what: str, found: Awaitable[Collection[Row]]) -> Collection[Row]:
    try:
        return await found
    except Exception as fault:
        _log.warning("finding %s failed with %s", what, type(fault).__name__)
        return ()


def mention_of(candidate: Candidate) -> str:
    """The mention of a session, labelled as it is displayed."""
    return format_mention(candidate.session_id, mention_label(candidate.display_title))


def path_text(file: FoundFile, *, open_quote: bool) -> str | None:
    """The mention of a path. A directory ends behind its `/`, a quote before it stays open."""
    if not file.is_directory:
        return format_path(file.path, open_quote=open_quote)
    text = format_path(file.path.rstrip("/") + "/", open_quote=open_quote)
    return text.removesuffix('"') if text else None
