"""From arguments to an exit status: no traceback ever reaches a user who did not ask for one."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence

from dsh_lsp.cli.failures import ExitStatus, UserError
from dsh_lsp.cli.folders import missing
from dsh_lsp.cli.options import home_of
from dsh_lsp.cli.parser import build_parser, parse, wanted
from dsh_lsp.cli.utf8 import require_utf8_names
from dsh_lsp.core.display import one_line

REPORT = "this is a fault of dsh-lsp; run the command again with --debug and report what it prints"


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_STANDARD_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if arguments is None:
        require_utf8_names()
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # no terminal refuses a character
    debug = False
    given = sys.argv[1:] if arguments is None else arguments
    try:
        options = parse(build_parser(wanted(given)), given)
        debug = options.debug or options.outer_debug
        for told in missing({"--home": home_of(options), "--cwd": getattr(options, "cwd", None)}):
            _complain(told)
        status: int = options.run(options)
        sys.stdout.flush()
    except UserError as error:
        _complain(str(error))
        return ExitStatus.USAGE
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:
        _drop_what_is_buffered()
        return ExitStatus.BROKEN_PIPE
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            _drop_what_is_buffered()
            _complain(f"nothing more can be written: {error.strerror}; make room and run it again")
            return ExitStatus.USAGE
        if debug:
            traceback.print_exc()
        _complain(f"unexpected {type(error).__name__}: {one_line(str(error))[:300]}; {REPORT}")
        return ExitStatus.FAULT
    return status


def _open_what_is_closed() -> None:
    """Give every standard stream that the caller closed an empty one."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass  # the lowest free number is taken, so that no file of ours becomes a standard stream
    os.close(descriptor)
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115


def _drop_what_is_buffered() -> None:
    """What could not be written must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> None:
    sys.stderr.write(f"dsh-lsp: {message}\n")
