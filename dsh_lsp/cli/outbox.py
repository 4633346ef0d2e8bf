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

The beginning of an ID is enough where no other prompt's begins so.

exit status: 0 done, and nothing is left in doubt, 1 something is, or was refused, 2 wrong usage
"""

_IDS = 3
"""How many ids that begin alike are shown."""

_ANOTHER_HOME = (
    "one outbox serves all homes of harnesses, so the prompt may have been meant for a harness of "
    "another home; it stays there"
)


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
    from dsh_lsp.harness.port import HarnessError, UnknownSessionError

    services = services_of(settings)
    try:
        return await _act(options, services.delivery)
    except HarnessError as error:
        sys.stderr.write(f"dsh-lsp: {one_line(str(error))}\n")
        if isinstance(error, UnknownSessionError) and not _is_of_one_home(settings):
            sys.stderr.write(f"dsh-lsp: {_ANOTHER_HOME}\n")
        return ExitStatus.PROBLEMS
    finally:
        await services.aclose()


def _is_of_one_home(settings: Settings) -> bool:
    """The embedded harness has an outbox of its own; the homes of all others share one."""
    from dsh_lsp.settings import HarnessMode

    return settings.harness.mode is HarnessMode.EMBEDDED


async def _act(options: argparse.Namespace, delivery: Delivery) -> ExitStatus:
    from dsh_lsp.server.outcome import beginning

    if options.show is not None:
        item = await _find(delivery, options.show)
        sys.stdout.buffer.write(item.outgoing.text.encode("utf-8", "surrogatepass"))
    elif options.resend is not None:
        item = await _find(delivery, options.resend)
        _tell(await delivery.resend(item.outgoing.request_id))
    elif options.discard is not None:
        item = await _find(delivery, options.discard)
        await delivery.discard(item.outgoing.request_id)
        sys.stdout.write(f"forgotten: {beginning(item)}\n")
    else:
        return _listed(await delivery.look())
    return ExitStatus.FINE


def _tell(receipt: Receipt) -> None:
    from dsh_lsp.cli.receipt import receipt_in_words
    from dsh_lsp.server.outcome import difference_problems

    sys.stdout.write(f"{receipt_in_words(receipt)}\n")
    for problem in difference_problems(receipt):
        sys.stderr.write(f"dsh-lsp: warning: {one_line(problem.message)}\n")


async def _find(delivery: Delivery, named: str) -> Pending:
    """The prompt with this id, or the one whose id begins so. Raises `HarnessError`."""
    from dsh_lsp.harness.port import HarnessError

    items = {item.outgoing.request_id: item for item in (await delivery.view()).items}
    if named in items:
        return items[named]
    found = [each for each in items if named and each.startswith(named)]
    if len(found) > 1:
        raise HarnessError(f"{len(found):,} ids in the outbox begin so: {', '.join(found[:_IDS])}")
    if not found:
        raise HarnessError("the outbox holds no such prompt")
    return items[found[0]]


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
