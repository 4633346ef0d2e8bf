"""`dsh-lsp outbox`: prompts that are kept, or whose end is not known yet."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.core.display import one_line

if TYPE_CHECKING:
    from dsh_lsp.harness.port import Delivery, OutboxView, Pending, Receipt
    from dsh_lsp.settings import Settings

EXAMPLES = """\
examples:
  dsh-lsp outbox               look for each prompt in its session, and list what is left
  dsh-lsp outbox --show ID     print the text of a prompt
  dsh-lsp outbox --resend ID   send it, if its session does not have it
  dsh-lsp outbox --discard ID  forget it; what the harness has of it stays there

exit status: 0 done, and nothing is left in doubt, 1 something is, or was refused, 2 wrong usage
"""


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "outbox",
        help="prompts that are kept, or whose end is not known yet",
        description="A prompt is kept until it is known what became of it, and one of `send "
        "--keep` until you send it from here. Nothing is sent by itself; look here, and decide.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--show", metavar="ID", help="print the text of a prompt")
    action.add_argument("--resend", metavar="ID", help="send a kept prompt, or one again")
    action.add_argument("--discard", metavar="ID", help="forget a prompt")
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List, or act on one prompt."""
    import anyio

    return anyio.run(_work, options, settings_of(options))


async def _work(options: argparse.Namespace, settings: Settings) -> ExitStatus:
    from dsh_lsp.cli.scene import services_of
    from dsh_lsp.harness.port import HarnessError

    services = services_of(settings)
    try:
        return await _act(options, services.delivery)
    except HarnessError as error:
        sys.stderr.write(f"dsh-lsp: {one_line(str(error))}\n")
        return ExitStatus.PROBLEMS
    finally:
        await services.aclose()


async def _act(options: argparse.Namespace, delivery: Delivery) -> ExitStatus:
    if options.show is not None:
        item = _find(await delivery.view(), options.show)
        sys.stdout.buffer.write(item.outgoing.text.encode("utf-8", "surrogatepass"))
    elif options.resend is not None:
        _tell(await delivery.resend(options.resend))
    elif options.discard is not None:
        await delivery.discard(options.discard)
    else:
        return _listed(await delivery.look())
    return ExitStatus.FINE


def _tell(receipt: Receipt) -> None:
    from dsh_lsp.cli.receipt import receipt_in_words
    from dsh_lsp.server.outcome import difference_problems

    sys.stdout.write(f"{receipt_in_words(receipt)}\n")
    for problem in difference_problems(receipt):
        sys.stderr.write(f"dsh-lsp: warning: {one_line(problem.message)}\n")


def _find(view: OutboxView, request_id: str) -> Pending:
    from dsh_lsp.harness.port import HarnessError

    for item in view.items:
        if item.outgoing.request_id == request_id:
            return item
    raise HarnessError("the outbox holds no such prompt")


def _listed(view: OutboxView) -> ExitStatus:
    from dsh_lsp.harness.port import Standing
    from dsh_lsp.server.outcome import beginning, difference_problems

    settled = (Standing.CAPTURED, Standing.KEPT)
    doubtful = [item for item in view.items if item.standing not in settled]
    for item in view.items:
        sys.stdout.write(f"{item.outgoing.request_id}  {beginning(item)}\n")
        sys.stdout.write(f"    to session {one_line(item.outgoing.session_id)}\n")
        sys.stdout.write(f"    {one_line(item.in_words())}\n")
        for problem in difference_problems(item.receipt):
            sys.stdout.write(f"    {problem.message}\n")
    for fault in view.faults:
        sys.stderr.write(f"dsh-lsp: {fault.place}: {fault.message}\n")
    if not view.items and not view.faults:
        sys.stdout.write("the outbox is empty\n")
    return ExitStatus.PROBLEMS if doubtful or view.faults else ExitStatus.FINE
