"""`dsh-lsp send`: send a prompt to a session, once, or keep it for later."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.cli.receipt import receipt_in_words
from dsh_lsp.cli.target_options import add_target_options
from dsh_lsp.core.display import one_line
from dsh_lsp.core.problem import Severity
from dsh_lsp.harness.port import Mode, ReceiptState

if TYPE_CHECKING:
    from dsh_lsp.cli.preparation import PreparedFile
    from dsh_lsp.core.prompt import FrontMatter
    from dsh_lsp.server.sending import Order, Sent
    from dsh_lsp.server.services import Services
    from dsh_lsp.settings import Settings

EXAMPLES = """\
examples:
  dsh-lsp send ask.dsh.md                      to the session that the front matter names
  dsh-lsp send ask.dsh.md --target new         to a new session of the prompt's workspace
  dsh-lsp send ask.dsh.md --set harness.mode=embedded --target new
                                               record it without a model
  dsh-lsp send ask.dsh.md --keep               keep it in the outbox until you send it from there

exit status: 0 accepted or kept, 1 refused, unknown or ended before it was recorded, 2 wrong usage
"""

_IN_OUTBOX = "the prompt is in the outbox; `dsh-lsp outbox` tells what became of it"


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "send",
        help="send a prompt to a session",
        description="Check a prompt, send it once, and print what became of it. Without a target "
        "in --target, the front matter or the settings nothing is sent: it is never guessed.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a prompt; - is standard input")
    parser.add_argument(
        "--mode",
        choices=[mode.value for mode in Mode],
        metavar="MODE",
        help="queue: behind what waits; steer: into the running turn (default: the front matter, "
        "else send.mode)",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="send nothing: check the prompt, and keep it in the outbox for a session that exists",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_target_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Send a file and print its receipt."""
    import anyio

    settings = settings_of(options)
    return anyio.run(_send, options, settings)


async def _send(options: argparse.Namespace, settings: Settings) -> ExitStatus:
    import uuid

    from dsh_lsp.cli.answers import as_json, sent_answer
    from dsh_lsp.cli.preparation import prepare_file
    from dsh_lsp.cli.scene import services_of
    from dsh_lsp.server.scene import cwd_of
    from dsh_lsp.server.sending import Order, Status

    path = options.file
    mode = Mode(options.mode) if options.mode else None
    services = services_of(settings)
    try:
        found = await prepare_file(
            path,
            target=options.target,
            folder=options.cwd,
            settings=settings,
            services=services,
        )
        order = Order(
            request_id=str(uuid.uuid4()),
            preparation=found.preparation,
            target=found.scene.target,
            mode=mode or _mode_of(found.scene.document.prompt.front_matter, settings),
            cwd=await cwd_of(found.scene),
            is_current=lambda: True,  # a file that was read whole does not change any more
            commit=lambda: None,
            created=lambda _: None,
            document=_document(path),
            may_expand=settings.send.expand,
        )
        sent = await (_keep if options.keep else _send_now)(order, services)
    finally:
        await services.aclose()
    if options.json:
        sys.stdout.write(as_json(sent_answer(found, sent)))
    else:
        _tell(found, sent, wish="kept" if options.keep else "sent")
    ended = sent.receipt is not None and sent.receipt.state is ReceiptState.ENDED
    done = sent.status in (Status.ACCEPTED, Status.KEPT) and not ended
    return ExitStatus.FINE if done else ExitStatus.PROBLEMS


async def _send_now(order: Order, services: Services) -> Sent:
    from dsh_lsp.server.sending import send

    return await send(order, services.harness, services.delivery, _quiet)


async def _keep(order: Order, services: Services) -> Sent:
    from dsh_lsp.server.keeping import keep

    return await keep(order, services.delivery)


def _tell(found: PreparedFile, sent: Sent, wish: str) -> None:
    from dsh_lsp.cli.preparation import complain
    from dsh_lsp.cli.ways_out import WAYS_OUT, WAYS_OUT_OF_KEEPING
    from dsh_lsp.server.preview import budget_line
    from dsh_lsp.server.sending import Status

    complain(found, sent.problems, WAYS_OUT_OF_KEEPING if wish == "kept" else WAYS_OUT)
    if sent.status is Status.REFUSED:
        sys.stderr.write(f"dsh-lsp: nothing was {wish}\n")
        return
    session_id = one_line(sent.session_id or "")
    if sent.status is Status.KEPT:
        sys.stdout.write(
            f"kept in the outbox for session {session_id}, not sent yet\n"
            f"to send it: dsh-lsp outbox --resend {sent.order.request_id}\n"
        )
        _warn(sent)
        return
    if sent.status is not Status.ACCEPTED:
        sys.stderr.write(f"dsh-lsp: {_IN_OUTBOX}\n")
        return
    sys.stdout.write(f"accepted by session {session_id}\n")
    if sent.receipt is not None:
        sys.stdout.write(f"{receipt_in_words(sent.receipt)}\n")
    _warn(sent)
    prepared = found.preparation.prepared
    for source in prepared.sources if prepared else ():
        snapshot = source.snapshot
        sys.stdout.write(f"snapshot of {one_line(snapshot.label)}: {budget_line(snapshot)}\n")
    if sent.order.target.new:
        sys.stdout.write(f"to go on in it: --target {shlex.quote(session_id)}\n")


def _warn(sent: Sent) -> None:
    for problem in sent.problems:
        if problem.severity is Severity.WARNING:
            sys.stderr.write(f"dsh-lsp: warning: {one_line(problem.message)}\n")


def _document(path: str) -> str | None:
    """What the outbox calls the file."""
    return None if path == "-" else os.path.abspath(path)  # noqa: PTH100 - links are left as named


def _mode_of(front_matter: FrontMatter | None, settings: Settings) -> Mode:
    if front_matter is not None and front_matter.mode is not None:
        return Mode(front_matter.mode)
    return settings.send.mode


async def _quiet(_step: str) -> None:
    """A command line tells the outcome, not each step."""
