"""The frames of a compressed log, found by their structure and decompressed block by block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from enum import Enum, auto

import zstandard

_MAGIC = b"\x28\xb5\x2f\xfd"
_START = len(_MAGIC) + 1
_MAX_BLOCK = 128 << 10
_MOST_BLOCKS = 8
"""Blocks of a frame that is decompressed in one piece, so that at most 1 MiB comes out."""

_DICTIONARY_ID_SIZES = (0, 1, 2, 4)
_CONTENT_SIZES = (0, 2, 4, 8)


class CorruptLogError(ValueError):
    """Bytes that are not a log. `offset` is where in the file the damage shows."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class _State(Enum):
    START = auto()  # the magic number and the frame's descriptor
    HEADER = auto()
    BLOCK_HEADER = auto()
    BLOCK = auto()
    CHECKSUM = auto()


class FrameReader:
    """Decompresses frames that follow each other, fed in any split.

    A frame of few blocks that lies whole in what was fed is decompressed at once, which is most
    of the speed: hosts write a frame every fifth of a second. Of others each block is decompressed
    on its own (at most 128 KiB come out), so that no input takes more memory than that, and a
    frame that is cut keeps what its whole blocks held. Skippable frames are refused, as the
    harness does.
    """

    def __init__(self, offset: int) -> None:
        self.torn = False
        self._frame: zstandard.ZstdDecompressionObj  # from the first one on that begins here
        self._buffer = bytearray()
        self._base = offset  # where in the file the buffer starts
        self._passed = 0  # bytes of the buffer that were decompressed
        self._at = 0  # bytes of the buffer whose structure is known
        self._state = _State.START
        self._need = _START
        self._last_block = False
        self._checksum = False

    def feed(self, data: bytes) -> Iterator[tuple[bytes, int | None]]:
        """Pieces of text, each with the file offset of its frame's end where it ends a frame."""
        self._buffer += data
        while len(self._buffer) - self._at >= self._need:
            if self._state is _State.START and self._passed == self._at:
                text = self._small_frame()
                if text is not None:
                    yield text, self._base + self._at
                    continue
            start = self._at
            self._at += self._need
            if self._step(start):
                ended = self._state is _State.START
                yield self._decompress(ended=ended), self._base + self._at if ended else None
        if self._passed:
            del self._buffer[: self._passed]
            self._base += self._passed
            self._at -= self._passed
            self._passed = 0

    def close(self) -> bytes:
        """The text that can be saved from a frame that the end of the file cuts. Sets `torn`."""
        rest = bytes(self._buffer[self._passed :])
        if self._state is _State.START:
            self.torn = bool(rest)
            self._check_magic(rest, self._base + self._passed)
            return b""
        self.torn = True
        try:
            return self._frame.decompress(rest)
        except zstandard.ZstdError:
            return b""

    def _small_frame(self) -> bytes | None:
        """The next frame decompressed at once; None when it has to be taken block by block.

        What is wrong with a frame is found there too, with the place of the damage.
        """
        end = _end_of_small_frame(self._buffer, self._at)
        if end is None:
            return None
        frame = _of_thread.decompressor.decompressobj()
        try:
            text = frame.decompress(self._buffer[self._at : end])
        except zstandard.ZstdError:
            return None
        if not frame.eof or frame.unused_data:
            return None
        self._at = self._passed = end
        return text

    def _step(self, start: int) -> bool:
        """Take in the structure at `start`; whether that completes a block (with its checksum)."""
        part = self._buffer[start : self._at]
        if self._state is _State.BLOCK_HEADER:
            self._begin_block(int.from_bytes(part, "little"))
        elif self._state is _State.BLOCK:
            return self._end_block()
        elif self._state is _State.CHECKSUM:
            self._expect(_State.START, _START)
            return True
        elif self._state is _State.START:
            self._check_magic(part, self._base + start)
            self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._begin_header(part[-1])
        else:
            self._expect(_State.BLOCK_HEADER, 3)
        return False

    def _check_magic(self, part: bytes | bytearray, offset: int) -> None:
        """Fewer bytes than a magic number may be a write that hardly began, whatever they are."""
        if len(part) >= len(_MAGIC) and not part.startswith(_MAGIC):
            raise CorruptLogError("bytes that are no zstd frame", offset)

    def _begin_header(self, descriptor: int) -> None:
        if descriptor & 0b1000:
            raise CorruptLogError("a reserved bit is set in a frame", self._base + self._at - 1)
        self._checksum = bool(descriptor & 0b100)
        self._expect(_State.HEADER, _header_size(descriptor))

    def _begin_block(self, header: int) -> None:
        self._last_block = bool(header & 1)
        kind, size = (header >> 1) & 0b11, header >> 3
        if kind == 3 or size > _MAX_BLOCK:
            raise CorruptLogError("a block of a frame is malformed", self._base + self._at - 3)
        self._expect(_State.BLOCK, 1 if kind == 1 else size)

    def _end_block(self) -> bool:
        if not self._last_block:
            self._expect(_State.BLOCK_HEADER, 3)
        elif self._checksum:
            self._expect(_State.CHECKSUM, 4)
            return False
        else:
            self._expect(_State.START, _START)
        return True

    def _decompress(self, *, ended: bool) -> bytes:
        part = self._buffer[self._passed : self._at]
        at = self._base + self._passed
        self._passed = self._at
        try:
            text = self._frame.decompress(part)
        except zstandard.ZstdError as error:
            raise CorruptLogError(f"a frame cannot be decompressed ({error})", at) from error
        if ended and not self._frame.eof:
            raise CorruptLogError("a frame is longer than its structure", at)
        return text

    def _expect(self, state: _State, need: int) -> None:
        self._state = state
        self._need = need


class _OfThread(threading.local):
    """A decompressor, which takes as long to make as a small log takes to read.

    Only for whole frames: a frame that is begun and one that follows would disturb each other.
    """

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()


_of_thread = _OfThread()


def _end_of_small_frame(buffer: bytearray, start: int) -> int | None:
    """Where a frame of few blocks ends; None for others, and for what is malformed or not whole."""
    filled = len(buffer)
    if filled - start <= _START or not buffer.startswith(_MAGIC, start):
        return None
    descriptor = buffer[start + len(_MAGIC)]
    if descriptor & 0b1000:
        return None
    at = start + _START + _header_size(descriptor)
    for _ in range(_MOST_BLOCKS):
        if at + 3 > filled:
            return None
        header = buffer[at] | buffer[at + 1] << 8 | buffer[at + 2] << 16
        kind, size = (header >> 1) & 0b11, header >> 3
        if kind == 3 or size > _MAX_BLOCK:
            return None
        at += 4 if kind == 1 else 3 + size
        if header & 1:
            at += 4 if descriptor & 0b100 else 0
            return at if at <= filled else None
    return None


def _header_size(descriptor: int) -> int:
    """Bytes between a frame's descriptor and its first block."""
    size = _DICTIONARY_ID_SIZES[descriptor & 0b11] + _CONTENT_SIZES[descriptor >> 6]
    single_segment = bool(descriptor & 0b10_0000)
    if not single_segment or descriptor >> 6 == 0:
        size += 1  # a window descriptor, or a content size of one byte
    return size
