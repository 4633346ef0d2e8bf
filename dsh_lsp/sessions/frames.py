"""The bytes of a log, in any split, to complete lines (docs/storage.md). Opens nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsh_lsp.sessions.layout import Compression
from dsh_lsp.sessions.zstdframes import CorruptLogError, FrameReader

MAX_HEADER = 1 << 20
"""Bytes of a header line; a longer one is damage, so a listing reads little of a hostile file."""

MAX_LINE = 256 << 20
"""Bytes of any other line."""

MAX_TEXT = 8 << 30
"""Bytes of a whole log once decompressed: a bound for decompression bombs."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Complete lines, without their LF, which follow each other in one frame.

    `frame` counts from 0, which holds the header line alone; a plain log has only the frames 0 and
    1. `ended` tells that the frame is whole and ends here; a long frame comes in several batches.
    `offset` is where in the file a later reader can go on behind this batch, if it can at all.
    """

    lines: list[bytes]
    frame: int
    ended: bool
    offset: int | None = None


class LogDecoder:
    """Decodes one log. Feed it the file in order, then close it.

    Memory stays bounded by the longest line, whatever the bytes: each call hands batches out as
    they are decoded and must be exhausted before the next. Raises `CorruptLogError` for anything
    that a crash of the writer cannot explain.

    `offset` is where in the file a later reader can go on: behind the last whole frame (of a plain
    log: line) that ends with a line. A decoder made with such an offset expects no header.
    """

    def __init__(self, compression: Compression, *, offset: int = 0) -> None:
        self.offset = offset
        self.torn = False
        self._frame = 1 if offset else 0
        self._lines = _LineSplitter()
        self._seen = 0
        self._reader = FrameReader(offset) if compression is Compression.ZSTD else None
        self._header = bytearray()

    def feed(self, data: bytes) -> Iterator[Batch]:
        """The batches that these next bytes complete."""
        if self._reader is None:
            yield from self._plain(data)
            return
        for text, end in self._reader.feed(data):
            yield from self._text(text, end)

    def close(self) -> Iterator[Batch]:
        """What can be saved of a torn tail. Sets `torn`; nothing can be fed afterwards."""
        if self._reader is not None:
            torn = self._reader.close()
            self.torn = self._reader.torn
            if self._frame > 0 and torn:
                yield from self._text(torn, None)
        else:
            self.torn = bool(self._lines.pending)
        if self._frame == 0:
            nothing = not (self.torn or self._lines.pending or self._header)
            raise CorruptLogError(
                "the file is empty" if nothing else "the file ends inside its header line", 0
            )
        if self._lines.pending and not self.torn:
            raise CorruptLogError("the last frame does not end with a line end", self.offset)

    def _plain(self, data: bytes) -> Iterator[Batch]:
        lines = self._lines.split(data, self.offset)
        self.offset += sum(map(len, lines)) + len(lines)
        if self._frame == 0:
            if len(lines[0] if lines else self._lines.pending) > MAX_HEADER:
                raise CorruptLogError("the header line is far too long", 0)
            if lines:
                self._frame = 1
                yield Batch(lines[:1], 0, ended=True, offset=len(lines[0]) + 1)
                lines = lines[1:]
        if lines:
            yield Batch(lines, 1, ended=False, offset=self.offset)

    def _text(self, text: bytes, end: int | None) -> Iterator[Batch]:
        self._seen += len(text)
        if self._seen > MAX_TEXT:
            raise CorruptLogError(
                f"the log decompresses to more than {MAX_TEXT} bytes", self.offset
            )
        if self._frame == 0:
            yield from self._header_text(text, end)
            return
        lines = self._lines.split(text, self.offset)
        frame = self._frame
        if end is not None:
            self._frame += 1
            if not self._lines.pending:
                self.offset = end
        if lines or end is not None:
            whole = end is not None and not self._lines.pending
            yield Batch(lines, frame, ended=end is not None, offset=end if whole else None)

    def _header_text(self, text: bytes, end: int | None) -> Iterator[Batch]:
        self._header += text
        if len(self._header) > MAX_HEADER:
            raise CorruptLogError("the first frame holds more than a header line", 0)
        if end is None:
            return
        if self._header.count(b"\n") != 1 or not self._header.endswith(b"\n"):
            raise CorruptLogError("the first frame is not exactly one header line", 0)
        self._frame = 1
        self.offset = end
        yield Batch([bytes(self._header[:-1])], 0, ended=True, offset=end)


class _LineSplitter:
    """Splits text at LF, and at nothing else, in time linear in the text however it comes."""

    def __init__(self) -> None:
        self.pending = bytearray()

    def split(self, text: bytes, offset: int) -> list[bytes]:
        """The lines that `text` completes; the rest stays in `pending`."""
        cut = text.rfind(b"\n")
        if cut < 0:
            self.pending += text
            if len(self.pending) > MAX_LINE:
                raise CorruptLogError(f"a line is longer than {MAX_LINE} bytes", offset)
            return []
        lines = text[:cut].split(b"\n")
        if self.pending:
            lines[0] = bytes(self.pending) + lines[0]
            self.pending.clear()
        self.pending += memoryview(text)[cut + 1 :]
        return lines
