"""`dsh-lsp sessions`: the sessions that a prompt could mention."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.cli.target_options import add_target_options
from dsh_lsp.core.display import one_line

if TYPE_CHECKING:
    from dsh_lsp.cli.found_sessions import Found, Wish
    from dsh_lsp.core.candidates import Candidate

EXAMPLES = """\
examples:
  dsh-lsp sessions                       the newest, those of the current folder first
  dsh-lsp sessions tide table            whose title, id or directory holds “tide table”
  dsh-lsp sessions tide --mentions       as you paste them into a prompt
  dsh-lsp sessions --targets             only those that a prompt can be sent to, or
                                         be kept for while there is no harness
  dsh-lsp sessions --json --limit 500    for a picker of your own

exit status: 0 sessions were found, 1 none matches, 2 wrong usage or an unreadable store
"""

_FAULTS_SHOWN = 3


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "sessions",
        help="list sessions that a prompt could mention",
        description="List the sessions whose title, id or directory holds QUERY, as one piece and "
        "in upper or lower case, in the order in which an editor offers them. Several words are "
        "joined by a space each.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("query", nargs="*", metavar="QUERY")
    parser.add_argument(
        "--limit", type=_limit, metavar="N", help="at most N rows (default: candidateLimit, 50)"
    )
    parser.add_argument(
        "--targets", action="store_true", help="only sessions that a prompt can be sent to"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--mentions", action="store_true", help="print one mention a line")
    form.add_argument("--json", action="store_true", help="print one JSON object")
    add_target_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the candidates."""
    import anyio

    from dsh_lsp.cli.found_sessions import Wish, find
    from dsh_lsp.sessions.references import Target

    settings = settings_of(options)
    target_id = options.target.session_id if options.target else None
    limit = options.limit or settings.references.candidate_limit
    target = Target(target_id, options.cwd or os.getcwd())  # noqa: PTH109
    wish = Wish(" ".join(options.query), target, limit, options.targets)
    found = anyio.run(find, wish, settings)
    if found.without_harness is not None:
        why = one_line(found.without_harness.removesuffix("."))
        sys.stderr.write(f"dsh-lsp: {why}; taken from the store {one_line(found.store)} instead\n")
    _show(options, wish, found)
    return ExitStatus.FINE if found.sessions else ExitStatus.PROBLEMS


def _show(options: argparse.Namespace, wish: Wish, found: Found) -> None:
    if options.json:
        sys.stdout.write(json.dumps(_answer(found), indent=2) + "\n")
        return
    if not found.sessions:
        sys.stderr.write(f"dsh-lsp: {_nothing(wish, found)}\n")
    elif options.mentions:
        sys.stdout.write("".join(f"{_mention(each)}\n" for each in found.sessions))
    else:
        _show_rows(wish, found)
    for fault in found.faults[:_FAULTS_SHOWN]:
        sys.stderr.write(f"dsh-lsp: {one_line(f'{fault.place}: {fault.message}')}\n")
    if len(found.faults) > _FAULTS_SHOWN:
        more = len(found.faults) - _FAULTS_SHOWN
        sys.stderr.write(f"dsh-lsp: and {more:,} more that cannot be read; see dsh-lsp status\n")


def _show_rows(wish: Wish, found: Found) -> None:
    from dsh_lsp.cli.report_human import style_for
    from dsh_lsp.cli.session_rows import session_rows

    now = time.time_ns() // 1_000_000
    at_terminal = sys.stdout.isatty()
    columns = shutil.get_terminal_size().columns if at_terminal else None
    style = style_for(sys.stdout)
    sys.stdout.write(session_rows(found.sessions, now, columns, style, found.unreadable))
    if len(found.sessions) == wish.limit:
        sys.stdout.write(f"(the first {wish.limit}; --limit shows more)\n")
    elif at_terminal:
        sys.stdout.write("(--mentions prints them as you paste them into a prompt)\n")


def _nothing(wish: Wish, found: Found) -> str:
    store = one_line(found.store)
    if not found.count:
        return f"no sessions in {store}"
    kind = " that a prompt can be sent to" if wish.targets else ""
    matching = f" matches {one_line(wish.query)!r}" if wish.query else ""
    return f"no session{kind}{matching} (of {found.count:,}, in {store})"


def _answer(found: Found) -> dict[str, Any]:
    """The shape of docs/command-line.md."""
    return {
        "items": [_item(each, found) for each in found.sessions],
        "store": found.store,
        "faults": [
            {"place": each.place, "reason": each.reason.value, "message": each.message}
            for each in found.faults
        ],
    }


def _item(candidate: Candidate, found: Found) -> dict[str, Any]:
    return {
        "sessionId": candidate.session_id,
        "displayTitle": candidate.display_title,
        "cwd": candidate.cwd,
        "createdAt": candidate.created_at,
        "mention": _mention(candidate),
        "readable": candidate.session_id not in found.unreadable,
    }


def _mention(candidate: Candidate) -> str:
    from dsh_lsp.core.mentions import format_mention
    from dsh_lsp.core.names import mention_label

    return format_mention(candidate.session_id, mention_label(candidate.display_title))


def _limit(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:10]) <= 100_000:
        raise argparse.ArgumentTypeError("expects a whole number from 1 to 100000")
    return int(text)
