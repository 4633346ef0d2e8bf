"""The decoder: complete lines out of a log's bytes, torn tails saved, damage told."""

from __future__ import annotations

import random
import tracemalloc

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from dsh_lsp.sessions import frames
from dsh_lsp.sessions.frames import LogDecoder
from dsh_lsp.sessions.layout import Compression
from dsh_lsp.sessions.zstdframes import CorruptLogError
from tests.support.decoding import decode
from tests.support.store_writer import frame

ZSTD, PLAIN = Compression.ZSTD, Compression.NONE

RANDOM = random.Random(1)  # text that does not compress, the same in every run

HEADER = b'{"type":"session"}\n'
SMALL = frame(b'{"seq":0}\n{"seq":1}\n')
LARGE = frame(b'{"seq":2,"text":"' + RANDOM.randbytes(150_000).hex().encode() + b'"}\n{"seq":3}\n')
LOG = frame(HEADER) + SMALL + frame(b'{"seq":2}\n')
SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"


def whole(data: bytes, compression: Compression = ZSTD, offset: int = 0):
    return decode(data, compression, pieces=max(len(data), 1), offset=offset)


def test_all_lines_of_all_frames_are_told():
    found = whole(LOG)
    assert found.lines == (HEADER[:-1], b'{"seq":0}', b'{"seq":1}', b'{"seq":2}')
    assert (found.whole, found.offset, found.torn, found.fault) == (4, len(LOG), False, None)


@pytest.mark.parametrize(("log", "compression"), [(LOG, ZSTD), (HEADER + b"{}\n{}\n", PLAIN)])
def test_the_first_batch_is_the_header_alone(log, compression):
    first, *rest = LogDecoder(compression).feed(log)
    assert (first.lines, first.ended) == ([HEADER[:-1]], True)
    assert sum(len(batch.lines) for batch in rest) == len(whole(log, compression).lines) - 1


def test_many_small_frames_come_together():
    log = LOG + SMALL * 30
    assert len(list(LogDecoder(ZSTD).feed(log))) == 2
    assert decode(log, ZSTD, pieces=1) == whole(log)


def test_frames_that_hold_too_much_together_come_one_by_one():
    wide = frame(b"x" * 100_000 + b"\n")
    log = LOG + wide * 5 + SMALL
    sizes = [len(batch.text) for batch in LogDecoder(ZSTD).feed(log)]
    assert max(sizes) < 256 << 10
    assert decode(log, ZSTD, pieces=7) == whole(log)
    assert len(whole(log).lines) == 4 + 5 + 2


def test_an_offset_behind_frames_that_come_together_lies_where_a_line_ends():
    log = LOG + SMALL + frame(b"") + frame(b"{") + frame(b"")
    found = whole(log)
    assert found.offset == len(LOG + SMALL + frame(b""))
    assert decode(log, ZSTD, pieces=1) == found


def test_only_what_whole_frames_held_is_whole():
    found = whole(LOG + SMALL[:-1])
    assert (len(found.lines), found.whole) == (6, 4)
    assert found.torn


def test_frame_borders_behind_the_first_mean_nothing():
    split = frame(HEADER) + frame(b'{"se') + frame(b'q":0}\n{"seq":1}\n{"seq"') + frame(b":2}\n")
    assert whole(split).lines == whole(LOG).lines


def test_an_offset_lies_only_where_a_reader_can_go_on():
    split = frame(HEADER) + frame(b'{"se')
    assert whole(split).offset == len(frame(HEADER))
    rest = whole(LOG[len(frame(HEADER)) :], offset=len(frame(HEADER)))
    assert rest.lines == (b'{"seq":0}', b'{"seq":1}', b'{"seq":2}')
    assert rest.offset == len(LOG)


def test_a_plain_log_ends_lines_at_line_feeds_alone():
    text = HEADER + "one\u2028two\x0b\x0c\x85\r\n".encode() + b"three\n"
    assert whole(text, PLAIN).lines == tuple(text.split(b"\n")[:-1])


@pytest.mark.parametrize("tail", [b'{"seq":1}', b"{", b" "])
def test_the_last_line_of_a_plain_log_counts_only_with_its_line_feed(tail):
    found = whole(HEADER + b'{"seq":0}\n' + tail, PLAIN)
    assert found.lines == (HEADER[:-1], b'{"seq":0}')
    assert found.torn
    assert found.offset == len(HEADER) + 10


def test_a_plain_log_goes_on_behind_its_last_whole_line():
    text = HEADER + b"one\ntw"
    offset = whole(text, PLAIN).offset
    found = whole(text[offset:] + b"o\n", PLAIN, offset=offset)
    assert found.lines == (b"two",)


@pytest.mark.parametrize(("compression", "header"), [(ZSTD, frame(HEADER)), (PLAIN, HEADER)])
def test_a_log_without_a_whole_header_is_refused(compression, header):
    assert whole(b"", compression).fault == ("the file is empty", 0)
    for cut in range(1, len(header)):
        assert whole(header[:cut], compression).fault == ("the file ends inside its header line", 0)
    assert whole(header, compression).fault is None


@pytest.mark.parametrize("text", [HEADER + b"{}\n", HEADER[:-1], b"", HEADER + b"{", b"\n\n"])
def test_the_first_frame_is_exactly_one_header_line(text):
    fault = whole(frame(text) + SMALL).fault
    assert fault == ("the first frame is not exactly one header line", 0)


@pytest.mark.parametrize("last", [SMALL, LARGE], ids=["one block", "several blocks"])
def test_a_cut_frame_keeps_the_lines_of_its_whole_blocks(last):
    log = LOG + last
    cuts = {*range(1, 40), *range(len(last) - 40, len(last)), len(last) // 2}
    lines = whole(log).lines
    for cut in sorted(cuts & set(range(1, len(last)))):
        found = whole(log[: len(LOG) + cut])
        assert found.fault is None
        assert found.torn
        assert found.offset == len(LOG)
        assert found.lines == lines[: len(found.lines)]
    checksum_cut = whole(log[:-1]), whole(log[:-4])
    assert [found.lines for found in checksum_cut] == [lines, lines]


def test_a_tail_shorter_than_a_magic_number_is_torn_and_a_longer_one_is_damage():
    for tail in (b"\0", b"\0\0\0", b"abc", SMALL[:3]):
        found = whole(LOG + tail)
        assert found.torn
        assert found.fault is None
        assert found.lines == whole(LOG).lines
    for tail in (b"\0\0\0\0", b"plain text\n", SKIPPABLE, SMALL[1:]):
        assert whole(LOG + tail).fault == ("bytes that are no zstd frame", len(LOG))


def test_a_last_frame_that_does_not_end_a_line_is_damage():
    fault = whole(LOG + frame(b'{"seq":3}')).fault
    assert fault == ("the last frame does not end with a line end", len(LOG))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data[:-1] + bytes([data[-1] ^ 1]), id="checksum"),
        pytest.param(lambda data: data[:4] + bytes([data[4] | 8]) + data[5:], id="reserved bit"),
        pytest.param(lambda data: data[:4] + bytes([data[4] | 3]) + data[5:], id="dictionary"),
        pytest.param(lambda data: data[:10] + b"\xff" + data[11:], id="text"),
    ],
)
def test_a_damaged_frame_is_damage_even_at_the_end(damage):
    last = frame(RANDOM.randbytes(40).hex().encode() + b"\n")
    assert whole(LOG + last).fault is None
    assert whole(LOG + damage(last)).fault is not None


def test_a_reserved_block_type_is_damage():
    last = frame(RANDOM.randbytes(40).hex().encode() + b"\n")
    at = 6  # behind the magic number, the descriptor and one byte of size
    assert whole(LOG + last[:at] + bytes([last[at] | 6]) + last[at + 1 :]).fault is not None


def test_frames_without_a_checksum_are_read():
    bare = zstandard.ZstdCompressor(write_checksum=False)
    log = bare.compress(HEADER) + bare.compress(b"{}\n")
    assert whole(log).fault is None


def test_a_long_header_is_refused_before_it_is_read_whole():
    text = b"x" * (frames.MAX_HEADER + 10)
    for data, compression in ((text, PLAIN), (frame(text), ZSTD)):
        decoder = LogDecoder(compression)
        with pytest.raises(CorruptLogError, match="header"):
            list(decoder.feed(data))


def test_a_long_line_is_refused(monkeypatch):
    monkeypatch.setattr(frames, "MAX_LINE", 1_000_000)
    log = frame(HEADER) + frame(b"x" * 2_000_000 + b"\n")
    fault = whole(log).fault
    assert fault is not None
    assert "longer than" in fault[0]


def test_a_log_that_decompresses_to_far_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(frames, "MAX_TEXT", 1_000_000)
    log = frame(HEADER) + frame(b"{}\n" * 1_000_000)
    fault = whole(log).fault
    assert fault is not None
    assert "decompresses to more" in fault[0]


def test_a_bomb_takes_no_more_memory_than_its_longest_line():
    line = b" " * 65_535 + b"\n"
    bomb = frame(HEADER) + frame(line * 2_000)  # 131 MB out of some kilobytes
    assert len(bomb) < 40_000
    decoder = LogDecoder(ZSTD)
    tracemalloc.start()
    count = sum(len(batch.lines) for batch in decoder.feed(bomb))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 2_001
    assert peak < 4_000_000


def damaged_logs() -> st.SearchStrategy[bytes]:
    """Logs of some frames, cut, changed or added to anywhere."""
    batches = st.lists(
        st.lists(st.sampled_from([b"{}", b"", b"[1]", b"x" * 300]), max_size=3), max_size=4
    )
    logs = batches.map(
        lambda found: (
            frame(HEADER)
            + b"".join(frame(b"".join(line + b"\n" for line in lines)) for lines in found)
        )
    )
    return st.builds(
        lambda log, at, cut, put: log[: at % len(log)] + put + log[at % len(log) + cut :],
        logs,
        st.integers(0, 10_000),
        st.integers(0, 40),
        st.binary(max_size=6),
    )


@given(st.binary(max_size=300) | damaged_logs(), st.integers(1, 50), st.sampled_from([ZSTD, PLAIN]))
@example(LOG, 3, ZSTD)
@example(LOG + LARGE[:-2000], 7_001, ZSTD)
def test_any_bytes_give_the_same_in_any_split(data, pieces, compression):
    expected = whole(data, compression)
    assert decode(data, compression, pieces=pieces) == expected
    assert decode(data, compression, pieces=1 if len(data) < 1_000 else 997) == expected
