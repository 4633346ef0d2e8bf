"""From arguments to an exit status: no traceback ever reaches a user who did not ask for one."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence

from dsh_lsp.cli.failures import ExitStatus, UserError
from dsh_lsp.cli.parser import build_parser
from dsh_lsp.core.display import one_line

REPORT = "this is a fault of dsh-lsp; run the command again with --debug and report what it prints"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # no terminal refuses a character
    options = build_parser().parse_args(arguments)
    debug = options.debug or options.outer_debug
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except UserError as error:
        _complain(str(error))
        return ExitStatus.USAGE
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; what is still buffered must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.BROKEN_PIPE
    except Exception as error:
        if debug:
            traceback.print_exc()
        _complain(f"unexpected {type(error).__name__}: {one_line(str(error))[:300]}; {REPORT}")
        return ExitStatus.FAULT
    return status


def _complain(message: str) -> None:
    sys.stderr.write(f"dsh-lsp: {message}\n")
