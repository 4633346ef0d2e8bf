"""Running the log decoder over bytes in one go, in pieces or byte by byte."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.sessions.frames import LogDecoder
from dsh_lsp.sessions.layout import Compression
from dsh_lsp.sessions.zstdframes import CorruptLogError


@dataclass(frozen=True, slots=True)
class Decoded:
    """Everything that a decoder tells: lines, how many of them whole frames held, where it stops.

    `fault` is the error's message and place; lines before it were handed out.
    """

    lines: tuple[bytes, ...]
    whole: int
    offset: int
    torn: bool
    fault: tuple[str, int] | None


def decode(data: bytes, compression: Compression, *, pieces: int, offset: int = 0) -> Decoded:
    """Decode `data`, fed in pieces of that many bytes."""
    decoder = LogDecoder(compression, offset=offset)
    lines: list[bytes] = []
    whole = 0
    fault = None
    try:
        for at in range(0, len(data), pieces):
            for batch in decoder.feed(data[at : at + pieces]):
                lines += batch.lines
                whole = len(lines) if batch.ended else whole
        for batch in decoder.close():
            lines += batch.lines
    except CorruptLogError as error:
        fault = error.message, error.offset
    return Decoded(tuple(lines), whole, decoder.offset, decoder.torn, fault)
