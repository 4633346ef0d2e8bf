"""LSP's framing: headers and bodies out of a stream of bytes."""

from __future__ import annotations

import re

MAX_BODY = 256 * 1024 * 1024
"""Bytes of one message; a longer one is no message of an editor."""

_MAX_HEADER = 64 * 1024

_LENGTH = re.compile(
    rb"^content-length[ \t]*:[ \t]*([0-9]{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE
)


class FramingError(Exception):
    """The stream is not LSP's; what comes after cannot be read."""


class Frames:
    """Collects bytes, however they are split, and gives out whole message bodies."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._missing: int | None = None  # length of the body that has begun

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that are complete now. Raises `FramingError`."""
        self._buffer += data
        bodies = []
        while (body := self._next()) is not None:
            bodies.append(body)
        return bodies

    def _next(self) -> bytes | None:
        if self._missing is None:
            self._missing = self._header()
        if self._missing is None or len(self._buffer) < self._missing:
            return None
        body = bytes(self._buffer[: self._missing])
        del self._buffer[: self._missing]
        self._missing = None
        return body

    def _header(self) -> int | None:
        """The length of the next body, once its header is there."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _MAX_HEADER:
                raise FramingError("no end of a header")
            return None
        length = _LENGTH.search(bytes(self._buffer[:end]))
        del self._buffer[: end + 4]
        if length is None:
            raise FramingError("a header without Content-Length")
        size = int(length[1])
        if size > MAX_BODY:
            raise FramingError("a message that is too long")
        return size


def framed(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def is_request_id(value: object) -> bool:
    """Whether a JSON value can be the id of a request."""
    return isinstance(value, int | str) and not isinstance(value, bool)
