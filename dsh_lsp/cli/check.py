"""`dsh-lsp check`: the problems of prompt files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import ExitStatus
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options, settings_of
from dsh_lsp.cli.target_options import add_target_options

if TYPE_CHECKING:
    from dsh_lsp.cli.check_result import CheckResult
    from dsh_lsp.server.target import Choice
    from dsh_lsp.settings import Settings

EXAMPLES = """\
examples:
  dsh-lsp check ask.dsh.md
  dsh-lsp check prompts/*.dsh.md --format github     in a GitHub workflow
  generate-prompt | dsh-lsp check - --format json

exit status:
  0  no errors and no warnings (information and hints may have been shown)
  1  at least one error or warning
  2  wrong usage, or a file that could not be read
"""


def add(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "check",
        help="check prompt files",
        description="Check the mentions of prompt files against the session store, as an editor "
        "shows them. Nothing is sent.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a prompt; - is standard input")
    parser.add_argument(
        "--format",
        choices=("human", "json", "github"),
        default="human",
        help="for people (default), one JSON object, or workflow commands of GitHub Actions",
    )
    add_target_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check every file; one that cannot be read costs only itself."""
    import anyio

    from dsh_lsp.cli import report_github, report_human, report_json

    settings = settings_of(options)
    results = anyio.run(_check_all, options.files, options.target, options.cwd, settings)
    match options.format:
        case "json":
            shown = report_json.report(results)
        case "github":
            shown = report_github.report(results)
        case _:
            shown = report_human.report(results, report_human.style_for(sys.stdout))
    sys.stdout.write(shown)
    return _exit_status(results)


async def _check_all(
    paths: Sequence[str], target: Choice | None, folder: str | None, settings: Settings
) -> list[CheckResult]:
    from dsh_lsp.cli.check_result import CheckResult
    from dsh_lsp.cli.folders import workspace_of
    from dsh_lsp.cli.prompt_file import PromptFileError, read_prompt_file
    from dsh_lsp.cli.scene import scene_of, services_of
    from dsh_lsp.core.checks.target_checks import empty_prompt
    from dsh_lsp.server.budgets import budget_of, limits_of
    from dsh_lsp.server.checks import gather, problems_of
    from dsh_lsp.server.scene import fresh_memory

    services = services_of(settings)
    memory = fresh_memory(services)
    results = []
    try:
        for path in dict.fromkeys(paths):
            try:
                prompt = read_prompt_file(path)
            except PromptFileError as error:
                results.append(CheckResult(path, "", (), unreadable=str(error)))
                continue
            scene = scene_of(
                prompt,
                target=target,
                folder=folder or workspace_of(path),
                settings=settings,
                services=services,
                memory=memory,
            )
            document = scene.document.prompt
            limits = limits_of(scene, await budget_of(scene))
            found = await gather(document, scene, limits)
            empty = empty_prompt(document)
            problems = (*problems_of(document, found, scene), *((empty,) if empty else ()))
            results.append(CheckResult(path, prompt.text, problems))
    finally:
        await services.aclose()
    return results


def _exit_status(results: Sequence[CheckResult]) -> ExitStatus:
    if any(result.unreadable for result in results):
        return ExitStatus.USAGE
    if any(result.fails for result in results):
        return ExitStatus.PROBLEMS
    return ExitStatus.FINE
