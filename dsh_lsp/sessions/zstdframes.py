"""The frames of a compressed log, found by their structure: small ones together, else by block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from enum import Enum, auto

import zstandard

_MAGIC = b"\x28\xb5\x2f\xfd"
_START = len(_MAGIC) + 1
_RESERVED, _CHECKSUM = 0b1000, 0b100  # bits of the descriptor
_CHECKSUM_SIZE = 4
_RLE, _RESERVED_KIND = 1, 3  # kinds of blocks
_MAX_BLOCK = 128 << 10

_TOGETHER = 64
"""Frames of one block that are decompressed together."""

_MOST_TEXT = 256 << 10
"""Bytes of text that do not come out of them together any more; more than one block holds."""


def _header_size(descriptor: int) -> int:
    """Bytes between a frame's descriptor and its first block."""
    size = (0, 1, 2, 4)[descriptor & 0b11]  # the dictionary's id
    size += (0, 2, 4, 8)[descriptor >> 6]  # the content's size
    single_segment = bool(descriptor & 0b10_0000)
    if not single_segment or descriptor >> 6 == 0:
        size += 1  # a window descriptor, or a content size of one byte
    return size


_HEADER_SIZES = tuple(map(_header_size, range(256)))

Piece = tuple[bytes, int | None]
"""Text of a frame, and where in the file the frame ends if this is the end of it."""


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

    A frame of one block that lies whole in what was fed is decompressed at once, which is most of
    the speed: hosts write a small frame every fifth of a second. Of others each block is
    decompressed on its own, so that a frame that is cut keeps what its whole blocks held. At most
    256 KiB come out at a time, whatever goes in. Skippable frames are refused, as the harness does.
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
        self._together = _TOGETHER
        self._last_block = False
        self._checksum = False

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The pieces that these next bytes complete."""
        self._buffer += data
        while len(self._buffer) - self._at >= self._need:
            if self._state is _State.START and self._passed == self._at:
                yield from self._short_frames()
                if len(self._buffer) - self._at < self._need:
                    break
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

    def _short_frames(self) -> Iterator[Piece]:
        """The next frames of one block, up to a frame that has to be taken block by block.

        Whatever is wrong with a frame is found there, with the place of the damage.
        """
        while True:
            most = self._together if self._base + self._at else 1
            end = _end_of_short_frames(self._buffer, self._at, most)
            if end is None:
                return
            text = _of_thread.decompress(self._buffer[self._at : end])
            if most > 1 and not (text and text.endswith(b"\n")):
                self._together = 1
            elif text is None:
                return
            else:
                self._at = self._passed = end
                yield text, self._base + end

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
        if descriptor & _RESERVED:
            raise CorruptLogError("a reserved bit is set in a frame", self._base + self._at - 1)
        self._checksum = bool(descriptor & _CHECKSUM)
        self._expect(_State.HEADER, _HEADER_SIZES[descriptor])

    def _begin_block(self, header: int) -> None:
        self._last_block = bool(header & 1)
        kind, size = (header >> 1) & 0b11, header >> 3
        if kind == _RESERVED_KIND or size > _MAX_BLOCK:
            raise CorruptLogError("a block of a frame is malformed", self._base + self._at - 3)
        self._expect(_State.BLOCK, 1 if kind == _RLE else size)

    def _end_block(self) -> bool:
        if not self._last_block:
            self._expect(_State.BLOCK_HEADER, 3)
        elif self._checksum:
            self._expect(_State.CHECKSUM, _CHECKSUM_SIZE)
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
    """A decompressor and its output, which take as long to make as a small log takes to read.

    Only for whole frames: a frame that is begun and one that follows would disturb each other.
    """

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor()
        self._text = memoryview(bytearray(_MOST_TEXT))

    def decompress(self, frames: bytearray) -> bytes | None:
        """The text of whole frames; None for damaged ones, and if it is `_MOST_TEXT` or more."""
        reader = self._decompressor.stream_reader(frames, read_across_frames=True)
        try:
            size = reader.readinto(self._text)
        except zstandard.ZstdError:
            return None
        return self._text[:size].tobytes() if size < _MOST_TEXT else None


_of_thread = _OfThread()


def _end_of_short_frames(buffer: bytearray, start: int, most: int) -> int | None:
    """Where some frames of one block each end, at most so many.

    None if the first one has more blocks, is malformed or is not whole.
    """
    end, filled = start, len(buffer)
    while most and buffer.startswith(_MAGIC, end):
        at = end + _START
        try:
            descriptor = buffer[at - 1]
            at += _HEADER_SIZES[descriptor]
            header = buffer[at] | buffer[at + 1] << 8 | buffer[at + 2] << 16
        except IndexError:
            break
        is_last, kind, size = header & 1, (header >> 1) & 0b11, header >> 3
        if descriptor & _RESERVED or not is_last or kind == _RESERVED_KIND or size > _MAX_BLOCK:
            break
        at += 4 if kind == _RLE else 3 + size
        at += _CHECKSUM_SIZE if descriptor & _CHECKSUM else 0
        if at > filled:
            break
        end = at
        most -= 1
    return end if end > start else None
