"""LSP's framing, however the bytes are split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.server.wire import Frames, FramingError, framed, is_request_id


@given(st.lists(st.binary()), st.integers(1, 9))
def test_bodies_survive_any_split(bodies: list[bytes], size: int) -> None:
    stream = b"".join(map(framed, bodies))
    frames = Frames()
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert [body for piece in pieces for body in frames.feed(piece)] == bodies


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length:2\r\n\r\n",
        b"CONTENT-LENGTH:  2 \r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"Content-Type: x\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_headers_as_clients_write_them(header: bytes) -> None:
    assert Frames().feed(header + b"{}") == [b"{}"]


@pytest.mark.parametrize(
    "stream",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n",
        b"x" * 70_000,
    ],
)
def test_what_is_no_client_is_refused(stream: bytes) -> None:
    with pytest.raises(FramingError):
        Frames().feed(stream)


def test_ids_of_requests() -> None:
    assert is_request_id(0)
    assert is_request_id("x")
    others: tuple[object, ...] = (None, True, 1.5, [], {})
    for wrong in others:
        assert not is_request_id(wrong)
