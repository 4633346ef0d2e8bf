"""The bytes of a log, in any split, to complete lines (docs/storage.md). Opens nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsh_lsp.core.log.line import split_lines
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
    """Complete lines that follow each other, each with its LF. The header is the first, alone.

    They come from a part of one frame, or from several whole ones. `ended` tells that a frame ends
    here, so that all lines so far were stored whole; a plain log has no frame behind its header.
    `offset` is where in the file a later reader can go on behind this batch, if it can at all.
    """

    text: bytes
    ended: bool
    offset: int | None = None

    @property
    def lines(self) -> list[bytes]:
        """The lines, without their LF."""
        return split_lines(self.text)


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
        self._begun = offset > 0  # the header lies behind
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
            yield from self._compressed(text, end)

    def close(self) -> Iterator[Batch]:
        """What can be saved of a torn tail. Sets `torn`; nothing can be fed afterwards."""
        if self._reader is not None:
            torn = self._reader.close()
            self.torn = self._reader.torn
            if self._begun and torn:
                yield from self._compressed(torn, None)
        else:
            self.torn = bool(self._lines.pending)
        if not self._begun:
            nothing = not (self.torn or self._lines.pending or self._header)
            raise CorruptLogError(
                "the file is empty" if nothing else "the file ends inside its header line", 0
            )
        if self._lines.pending and not self.torn:
            raise CorruptLogError("the last frame does not end with a line end", self.offset)

    def _plain(self, data: bytes) -> Iterator[Batch]:
        text = self._lines.split(data, self.offset)
        self.offset += len(text)
        if not self._begun:
            size = text.find(b"\n") + 1
            if max(size - 1, 0 if size else len(self._lines.pending)) > MAX_HEADER:
                raise CorruptLogError("the header line is far too long", 0)
            if size:
                self._begun = True
                yield Batch(text[:size], ended=True, offset=size)
                text = text[size:]
        if text:
            yield Batch(text, ended=False, offset=self.offset)

    def _compressed(self, text: bytes, end: int | None) -> Iterator[Batch]:
        self._seen += len(text)
        if self._seen > MAX_TEXT:
            raise CorruptLogError(
                f"the log decompresses to more than {MAX_TEXT} bytes", self.offset
            )
        if not self._begun:
            yield from self._header_text(text, end)
            return
        lines = self._lines.split(text, self.offset)
        whole = end if not self._lines.pending else None
        self.offset = whole or self.offset
        if lines or end is not None:
            yield Batch(lines, ended=end is not None, offset=whole)

    def _header_text(self, text: bytes, end: int | None) -> Iterator[Batch]:
        self._header += text
        if len(self._header) > MAX_HEADER:
            raise CorruptLogError("the first frame holds more than a header line", 0)
        if end is None:
            return
        if self._header.count(b"\n") != 1 or not self._header.endswith(b"\n"):
            raise CorruptLogError("the first frame is not exactly one header line", 0)
        self._begun = True
        self.offset = end
        yield Batch(bytes(self._header), ended=True, offset=end)


class _LineSplitter:
    """Cuts text behind the last LF, in time linear in the text however it comes."""

    def __init__(self) -> None:
        self.pending = bytearray()

    def split(self, text: bytes, offset: int) -> bytes:
        """The lines that `text` completes; the rest stays in `pending`."""
        size = text.rfind(b"\n") + 1
        if not size:
            self.pending += text
            if len(self.pending) > MAX_LINE:
                raise CorruptLogError(f"a line is longer than {MAX_LINE} bytes", offset)
            return b""
        if not self.pending and size == len(text):
            return text
        lines = bytes(self.pending) + text[:size]
        self.pending.clear()
        self.pending += memoryview(text)[size:]
        return lines
