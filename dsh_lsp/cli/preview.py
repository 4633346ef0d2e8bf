"""`dsh-lsp preview`: what the model will see."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.cli.target_options import add_target_options
from dsh_lsp.core.display import one_line, visible

if TYPE_CHECKING:
    from dsh_lsp.core.budget import Budget
    from dsh_lsp.core.prepare import Prepared
    from dsh_lsp.server.target import Choice
    from dsh_lsp.settings import Settings

EXAMPLES = """\
examples:
  dsh-lsp preview ask.dsh.md                   the whole message with its snapshots
  dsh-lsp preview dsh-session:InNlc3Npb24tMSI  one session, as a prompt would carry it

exit status: 0 shown, 1 an error forbids sending it, 2 wrong usage
"""


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "preview",
        help="show what the model will see",
        description="Prepare a prompt, or one session by its URI, and show exactly what a model "
        "would see, with the sizes. Nothing is sent.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("what", metavar="FILE|URI", help="a prompt (- is standard input) or a URI")
    add_target_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a preview."""
    import anyio

    from dsh_lsp.core.uri import SCHEME

    settings = settings_of(options)
    show = _preview_session if options.what.startswith(SCHEME) else _preview_file
    return anyio.run(show, options.what, options.target, options.cwd, settings)


async def _preview_file(
    path: str, target: Choice | None, folder: str, settings: Settings
) -> ExitStatus:
    from dsh_lsp.cli.preparation import complain, prepare_file
    from dsh_lsp.cli.scene import services_of

    services = services_of(settings)
    try:
        found = await prepare_file(
            path, target=target, folder=folder, settings=settings, services=services
        )
    finally:
        await services.aclose()
    if found.preparation.prepared is None:
        complain(found, found.preparation.problems)
        return ExitStatus.PROBLEMS
    sys.stdout.write(_message(found.preparation.prepared, found.budget))
    return ExitStatus.FINE


def _message(prepared: Prepared, budget: Budget) -> str:
    """The message as the model gets it, below a summary of its sources."""
    from dsh_lsp.server.preview import budget_line

    text = visible(prepared.text).rstrip("\n") + "\n"
    if prepared.context is None:
        return text
    sources = "".join(
        f"@{one_line(source.snapshot.label)}: {budget_line(source.snapshot)}\n"
        for source in prepared.sources
    )
    return (
        f"{sources}budget: {budget.rule}\n"
        f"\n--- the prompt ---\n\n{text}"
        "\n--- its context, a message of its own; a harness words the frame itself ---\n\n"
        f"{visible(prepared.context.text).rstrip(chr(10))}\n"
    )


async def _preview_session(
    uri: str, target: Choice | None, folder: str, settings: Settings
) -> ExitStatus:
    from dsh_lsp.cli.prompt_file import PromptFile
    from dsh_lsp.cli.scene import scene_of, services_of
    from dsh_lsp.core.failures import SessionReferenceError
    from dsh_lsp.core.uri import decode
    from dsh_lsp.server.budgets import budget_of
    from dsh_lsp.server.preview import Preview, as_plain_text
    from dsh_lsp.server.scene import fresh_memory

    services = services_of(settings)
    memory = fresh_memory(services)
    scene = scene_of(
        PromptFile(name="", text=""),
        target=target,
        folder=folder,
        settings=settings,
        services=services,
        memory=memory,
    )
    try:
        budget = await budget_of(scene)
        surface = await services.query.read_surface(decode(uri))
        snapshot = memory.measurements.measure(surface, surface.display_title, budget.size)
        if isinstance(snapshot, SessionReferenceError):
            raise snapshot
    except SessionReferenceError as error:
        sys.stderr.write(f"dsh-lsp: {error.code}: {one_line(error.message)}\n")
        return ExitStatus.PROBLEMS
    finally:
        await services.aclose()
    shown = Preview(surface, snapshot, budget, time.time_ns() // 1_000_000)
    sys.stdout.write(as_plain_text(shown) + "\n")
    return ExitStatus.FINE
