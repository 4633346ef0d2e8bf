"""`dsh-lsp preview`: what the model will see."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import ExitStatus, UserError
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.cli.target_options import add_target_options
from dsh_lsp.core.display import one_line, visible

if TYPE_CHECKING:
    from dsh_lsp.cli.named_session import NamedSession
    from dsh_lsp.core.budget import Budget
    from dsh_lsp.core.failures import SessionReferenceError
    from dsh_lsp.core.prepare import Prepared
    from dsh_lsp.settings import Settings

EXAMPLES = """\
examples:
  dsh-lsp preview ask.dsh.md                   the whole message with its snapshots
  dsh-lsp preview session-20260114             one session, as a prompt would carry it
  dsh-lsp preview '@[Tides](dsh-session:InN0aWRlcyI)'   the same for a pasted mention

exit status: 0 shown, 1 it may not be sent, 2 wrong usage or a file that could not be read
"""


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "preview",
        help="show what the model will see",
        description="Prepare a prompt, or one session by its id, URI or mention, and show exactly "
        "what a model would see, with the sizes. Nothing is sent.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "what",
        metavar="FILE|SESSION",
        help="a prompt (- is standard input), or a session's id, URI or mention",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_target_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a preview."""
    import anyio

    from dsh_lsp.cli.named_session import named_session
    from dsh_lsp.core.failures import InvalidReferenceError

    settings = settings_of(options)
    try:
        named = named_session(options.what)
    except InvalidReferenceError as fault:
        return _refuse(fault)
    if named is None:
        return anyio.run(_preview_file, options, settings)
    return anyio.run(_preview_session, named, options, settings)


async def _preview_file(options: argparse.Namespace, settings: Settings) -> ExitStatus:
    from dsh_lsp.cli.answers import as_json, preview_answer
    from dsh_lsp.cli.preparation import complain, prepare_file
    from dsh_lsp.cli.scene import services_of
    from dsh_lsp.core.checks.target_checks import empty_prompt

    services = services_of(settings)
    try:
        found = await prepare_file(
            options.what,
            target=options.target,
            folder=options.cwd,
            settings=settings,
            services=services,
        )
    finally:
        await services.aclose()
    prepared = found.preparation.prepared
    empty = empty_prompt(found.preparation.part)
    problems = (*found.preparation.problems, *((empty,) if empty else ()))
    if options.json:
        sys.stdout.write(as_json(preview_answer(found, problems)))
    elif prepared is None:
        complain(found, found.preparation.problems)
    elif empty is not None:
        sys.stderr.write(f"dsh-lsp: {empty.message}\n")
    else:
        sys.stdout.write(_message(prepared, found.budget))
    return ExitStatus.PROBLEMS if prepared is None or empty else ExitStatus.FINE


def _message(prepared: Prepared, budget: Budget) -> str:
    """The message as the model gets it, below a summary of its sources."""
    from dsh_lsp.server.preview import budget_line

    text = visible(prepared.text).rstrip("\n") + "\n"
    if prepared.context is None:
        return text
    sources = "".join(
        f"snapshot of {one_line(source.snapshot.label)}: {budget_line(source.snapshot)}\n"
        for source in prepared.sources
    )
    return (
        f"{sources}budget of each: {budget.rule}\n"
        f"\n--- the prompt ---\n\n{text}"
        "\n--- its context, a message of its own; a harness words the frame itself ---\n\n"
        f"{visible(prepared.context.text).rstrip(chr(10))}\n"
    )


async def _preview_session(
    named: NamedSession, options: argparse.Namespace, settings: Settings
) -> ExitStatus:
    from dsh_lsp.cli.answers import as_json, session_answer
    from dsh_lsp.cli.folders import workspace_of
    from dsh_lsp.cli.prompt_file import STANDARD_INPUT, PromptFile
    from dsh_lsp.cli.scene import scene_of, services_of
    from dsh_lsp.core.failures import ReadFailedError, ReadFault, SessionReferenceError
    from dsh_lsp.server.budgets import budget_of
    from dsh_lsp.server.preview import Preview, as_plain_text
    from dsh_lsp.server.scene import fresh_memory

    services = services_of(settings)
    memory = fresh_memory(services)
    scene = scene_of(
        PromptFile(name="", text=""),
        target=options.target,
        folder=options.cwd or workspace_of(STANDARD_INPUT),
        settings=settings,
        services=services,
        memory=memory,
    )
    try:
        budget = await budget_of(scene)
        surface = await services.query.read_surface(named.session_id)
        label = surface.display_title if named.label is None else named.label
        snapshot = memory.measurements.measure(surface, label, budget.size)
        if isinstance(snapshot, SessionReferenceError):
            raise snapshot
    except ReadFailedError as error:
        if named.session_id == options.what and error.reason is ReadFault.NOT_FOUND:
            shown = one_line(options.what)
            raise UserError(f"{shown} does not exist, and is no session's id either") from None
        return _refuse(error)
    except SessionReferenceError as error:
        return _refuse(error)
    finally:
        await services.aclose()
    if options.json:
        sys.stdout.write(as_json(session_answer(snapshot, budget)))
        return ExitStatus.FINE
    shown_now = Preview(surface, snapshot, budget, time.time_ns() // 1_000_000)
    sys.stdout.write(as_plain_text(shown_now) + "\n")
    return ExitStatus.FINE


def _refuse(error: SessionReferenceError) -> ExitStatus:
    sys.stderr.write(f"dsh-lsp: {error.code}: {one_line(error.message)}\n")
    return ExitStatus.PROBLEMS
