"""Reading a prompt from a file or from standard input."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dsh_lsp.core.display import one_line

MAX_PROMPT_BYTES = 16 << 20
"""A prompt is written by a person; a larger file was named by mistake."""

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt and the name of where it came from, which is safe to show."""

    name: str
    text: str


class PromptFileError(Exception):
    """A file cannot be read as a prompt; the message names the file and the fix."""


def read_prompt_file(path: str) -> PromptFile:
    """The prompt at `path`, or on standard input for `-`. Raises `PromptFileError`."""
    with _interruptible():
        return _read(path)


@contextmanager
def _interruptible() -> Iterator[None]:
    """CTRL-C ends the wait for a writer; an event loop's own handler would wait for it as well."""
    outer = signal.getsignal(signal.SIGINT)
    if callable(outer):
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if callable(outer):
            signal.signal(signal.SIGINT, outer)


def _read(path: str) -> PromptFile:
    if path == STANDARD_INPUT:
        content = sys.stdin.buffer.read(MAX_PROMPT_BYTES + 1)
        return PromptFile("<stdin>", _decode("<stdin>", content))
    name = one_line(path)
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_PROMPT_BYTES + 1)
    except IsADirectoryError:
        raise PromptFileError(f"{name} is a folder; name the prompt files in it") from None
    except FileNotFoundError:
        raise PromptFileError(f"{name} does not exist") from None
    except PermissionError:
        raise PromptFileError(f"{name} may not be read; change its permissions") from None
    except (OSError, ValueError) as error:
        reason = one_line(getattr(error, "strerror", None) or str(error))
        raise PromptFileError(f"{name} cannot be read: {reason}") from None
    return PromptFile(name, _decode(name, content))


def _decode(name: str, content: bytes) -> str:
    if len(content) > MAX_PROMPT_BYTES:
        raise PromptFileError(f"{name} is larger than a prompt can be (16 MiB)")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PromptFileError(
            f"{name} is not UTF-8 text (byte 0x{content[error.start]:02x} in line {line}); "
            "save it as UTF-8"
        ) from None
