"""The arguments of all commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from dsh_lsp import __version__
from dsh_lsp.cli.help_format import HelpFormatter
from dsh_lsp.cli.options import add_common_options
from dsh_lsp.core.display import one_line

COMMANDS = ("serve", "check", "sessions", "preview", "send", "outbox", "login", "status", "demo")
"""The modules of `dsh_lsp.cli` that are commands, in the order in which help lists them."""

EXAMPLES = """\
examples:
  dsh-lsp serve                     run the language server (what an editor starts)
  dsh-lsp check ask.dsh.md          check a prompt's mentions before you send it
  dsh-lsp sessions tide             find the sessions that a prompt could mention
  dsh-lsp preview ask.dsh.md        see what the model will see
  dsh-lsp demo                      watch the main job on sample sessions

Each command tells more: dsh-lsp check --help
"""


def wanted(arguments: Sequence[str]) -> Sequence[str]:
    """The command that stands first, else all, so that a start loads no more than it uses."""
    first = arguments[:1]
    return first if first and first[0] in COMMANDS else COMMANDS


def build_parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of `dsh-lsp` for some commands; parsed options carry the command's `run`."""
    parser = argparse.ArgumentParser(
        prog="dsh-lsp",
        description="A language server for prompts of the DeepSeek Harness: mentions of past "
        "sessions and files, checked before you send.",
        epilog=EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dsh-lsp {__version__}")
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=("bash", "zsh", "tcsh"),
        metavar="SHELL",
        help="print the completion script of bash, zsh or tcsh",
    )
    add_common_options(parser, prefix="outer_")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in names:
        import_module(f"dsh_lsp.cli.{name}").add(commands)
    for inner in commands.choices.values():
        inner.set_defaults(parser=inner)
    return parser


def parse(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options; a wrong one behind a command shows that command's usage, not everything's."""
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        options.parser.error(f"unrecognized arguments: {one_line(' '.join(unknown))}")
    return options


class _PrintCompletion(argparse.Action):
    """Prints a completion script made from the parser itself, and exits."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        _option_string: str | None = None,
    ) -> None:
        import shtab

        _complete_files(parser, shtab.FILE)
        sys.stdout.write(shtab.complete(parser, str(values)) + "\n")
        parser.exit()


def _complete_files(parser: argparse.ArgumentParser, how: Any) -> None:
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for inner in action.choices.values():
                _complete_files(inner, how)
        elif action.metavar in ("FILE", "FOLDER"):
            action.complete = how  # type: ignore[attr-defined]  # where shtab looks for it
