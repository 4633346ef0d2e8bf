"""Decoding takes time in proportion to the log, however it is fed."""

from __future__ import annotations

import pytest

from dsh_lsp.sessions.layout import Compression
from tests.support.decoding import decode
from tests.support.linear import is_linear
from tests.support.store_writer import frame


def one_line(compression: Compression, size: int) -> bytes:
    """A header and one long line in pieces that do not compress into one block."""
    text = b"{}\n" + b"".join(b"%09d" % number for number in range(size // 9)) + b"\n"
    if compression is Compression.NONE:
        return text
    return frame(b"{}\n") + frame(text[3:])


@pytest.mark.parametrize("compression", list(Compression))
@pytest.mark.parametrize("pieces", [1, 1_000])
def test_a_long_line_is_decoded_in_linear_time(compression, pieces):
    small, large = (one_line(compression, size) for size in (50_000, 200_000))
    assert decode(large, compression, pieces=pieces).fault is None
    assert is_linear(lambda log: decode(log, compression, pieces=pieces), small, large)


def test_many_frames_are_decoded_in_linear_time():
    small, large = (
        frame(b"{}\n") + b"".join(frame(b'{"seq":%d}\n' % seq) for seq in range(count))
        for count in (2_000, 8_000)
    )
    assert is_linear(lambda log: decode(log, Compression.ZSTD, pieces=len(log)), small, large)
