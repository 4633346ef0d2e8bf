"""`dsh-lsp sessions`: the sessions that a prompt could mention."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import ExitStatus, UserError
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.cli.target_options import add_target_options
from dsh_lsp.core.display import one_line

if TYPE_CHECKING:
    from dsh_lsp.core.candidates import Candidate
    from dsh_lsp.server.target import Choice
    from dsh_lsp.sessions.query import SessionQuery
    from dsh_lsp.settings import Settings

EXAMPLES = """\
examples:
  dsh-lsp sessions                       the newest, those of the current folder first
  dsh-lsp sessions "tide table"          whose title, id or directory holds these words
  dsh-lsp sessions --json --limit 500    for a picker of your own

exit status: 0 sessions were found, 1 none matches, 2 wrong usage or an unreadable store
"""


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "sessions",
        help="list sessions that a prompt could mention",
        description="List the sessions whose title, id or directory holds QUERY, in the order in "
        "which an editor offers them.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("query", nargs="?", default="", metavar="QUERY")
    parser.add_argument(
        "--limit", type=_limit, metavar="N", help="at most N rows (default: candidateLimit, 50)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_target_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the candidates."""
    import anyio

    from dsh_lsp.cli.report_human import style_for
    from dsh_lsp.cli.session_rows import session_rows

    settings = settings_of(options)
    limit = options.limit or settings.references.candidate_limit
    found = anyio.run(_find, options.query, options.target, options.cwd, limit, settings)
    if options.json:
        items = [_item(candidate) for candidate in found]
        sys.stdout.write(json.dumps({"items": items}, indent=2) + "\n")
    elif found:
        now = time.time_ns() // 1_000_000
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        sys.stdout.write(session_rows(found, now, columns, style_for(sys.stdout)))
        if len(found) == limit:
            sys.stdout.write(f"(the first {limit}; --limit shows more)\n")
    else:
        sys.stderr.write(f"dsh-lsp: no session matches {one_line(options.query)!r}\n")
    return ExitStatus.FINE if found else ExitStatus.PROBLEMS


async def _find(
    query: str, target: Choice | None, folder: str, limit: int, settings: Settings
) -> Sequence[Candidate]:
    from dsh_lsp.cli.scene import services_of
    from dsh_lsp.core.failures import SessionReferenceError
    from dsh_lsp.core.prepare import Limits
    from dsh_lsp.sessions.references import SessionReferenceResolver, Target

    services = services_of(settings)
    resolver = SessionReferenceResolver(services.query, limits=Limits())
    target_id = target.session_id if target else None
    try:
        found = await resolver.list_candidates(Target(target_id, folder), query, limit)
        if not found:
            await _complain_of_the_store(services.query)
    except SessionReferenceError as error:
        raise UserError(one_line(error.message)) from None
    finally:
        await services.aclose()
    return found


async def _complain_of_the_store(query: SessionQuery) -> None:
    """Raise `UserError` when it is the store's fault that there are no sessions."""
    listing = await query.list_sessions()
    for fault in listing.faults if not listing.sessions else ():
        raise UserError(one_line(f"{fault.place}: {fault.message}"))


def _item(candidate: Candidate) -> dict[str, Any]:
    """The shape of docs/command-line.md."""
    from dsh_lsp.core.mentions import format_mention

    title = candidate.display_title
    return {
        "sessionId": candidate.session_id,
        "displayTitle": title,
        "cwd": candidate.cwd,
        "createdAt": candidate.created_at,
        "mention": format_mention(candidate.session_id, one_line(title)),
    }


def _limit(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:10]) <= 100_000:
        raise argparse.ArgumentTypeError("expects a whole number from 1 to 100000")
    return int(text)
