"""One call of a host: what each answer of it comes to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.harness.port import HarnessError, UnknownSessionError
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.envelope import Caller
from dsh_lsp.harness.wire.errors import (
    FenceError,
    GarbageError,
    HostError,
    HostFailedError,
    LoginNeededError,
    NotAHostError,
    RefusedError,
    UnknownMethodError,
)
from dsh_lsp.harness.wire.http import Bounds, Transport
from dsh_lsp.harness.wire.refusal import refusal
from tests.support.scripted_host import Asked, Script, refused, response, scripted_host, value

pytestmark = pytest.mark.anyio

BOUNDS = Bounds(5.0, 1 << 20)


async def call(script: Script, *, cookie: str | None = None, rpc_id: str | None = None) -> Any:
    async with scripted_host(script) as host:
        caller = Caller(Transport(read_address(host.url)), cookie)
        try:
            return await caller.call("session/list", {"args": {}}, BOUNDS, rpc_id=rpc_id)
        finally:
            await caller.aclose()


async def test_the_envelope() -> None:
    asked = []

    def script(each: Asked) -> bytes:
        asked.append(each)
        return value(each, {"items": []})

    assert await call(script, cookie="a=b", rpc_id="mine \ud800") == {"items": []}
    assert asked[0].target == "/api/session/list"
    assert asked[0].headers["cookie"] == "a=b"
    assert asked[0].envelope == {
        "type": "client-request",
        "rpcId": "mine \ud800",
        "method": "session/list",
        "payload": {"args": {}},
    }


async def test_an_answer_without_a_value_is_none() -> None:
    def script(asked: Asked) -> bytes:
        envelope = {
            "type": "server-response",
            "rpcId": asked.envelope["rpcId"],
            "result": {"ok": True},
        }
        return response(200, json.dumps(envelope).encode())

    assert await call(script) is None


STATUSES = [
    (401, LoginNeededError, "dsh-lsp login", False),
    (403, FenceError, r"--trusted-host 127\.0\.0\.1", False),
    (404, UnknownMethodError, "no method", False),
    (400, RefusedError, "refused", False),
    (413, RefusedError, "refused", False),
    (415, RefusedError, "refused", False),
    (500, HostFailedError, "failed inside", True),
    (503, HostFailedError, "failed inside", True),
    (302, NotAHostError, "not a DeepSeek Harness", False),
    (204, NotAHostError, "not a DeepSeek Harness", False),
]


@pytest.mark.parametrize(("status", "kind", "words", "may_be_kept"), STATUSES)
async def test_statuses(status: int, kind: type[HostError], words: str, may_be_kept: bool) -> None:
    with pytest.raises(kind, match=words) as error:
        await call(lambda _: response(status, b"secret words of the host"))
    assert error.value.may_be_kept == may_be_kept
    assert "secret" not in str(error.value)


async def test_a_login_that_expired_is_told_from_one_that_was_never_there() -> None:
    with pytest.raises(LoginNeededError, match="wants a login"):
        await call(lambda _: response(401))
    with pytest.raises(LoginNeededError, match="no longer accepts our login") as error:
        await call(lambda _: response(401), cookie="dsh-auth-x=secret")
    assert "secret" not in str(error.value)


GARBAGE: list[Any] = [
    *("", "null", "[]", "{}", "{", '"x"', "\ufeff{}", "NaN"),
    '{"type":"server-response","rpcId":"r"}',
    '{"type":"server-response","rpcId":"r","result":[]}',
    '{"type":"server-response","rpcId":"r","result":{}}',
    '{"type":"server-response","rpcId":"r","result":{"ok":1,"value":{}}}',
    '{"type":"server-response","rpcId":"other","result":{"ok":true,"value":{}}}',
    '{"type":"client-request","rpcId":"r","result":{"ok":true,"value":{}}}',
    '{"type":"server-response","rpcId":"r","result":{"ok":false}}',
    '{"type":"server-response","rpcId":"r","result":{"ok":false,"error":{"code":1}}}',
    '{"type":"server-response","rpcId":"r","result":{"ok":false,"error":"no"}}',
    "[" * 100_000,
]


@pytest.mark.parametrize("body", GARBAGE, ids=range(len(GARBAGE)))
async def test_garbage_is_no_answer_and_the_request_may_have_been_taken(body: str) -> None:
    with pytest.raises(GarbageError) as error:
        await call(lambda _: response(200, body.encode()), rpc_id="r")
    assert error.value.may_be_kept


KINDS = [
    ("session-not-found", "not-found", False),
    ("session/not-found", "not-found", False),
    ("agent-busy", "agent-busy", False),
    ("session/agent-busy", "agent-busy", False),
    ("session/writer-held", "writer-held", False),
    ("invalid-time-zone", "invalid-time-zone", False),
    ("session/invalid-time-zone", "invalid-time-zone", False),
    ("bad-request", "bad-request", False),
    ("gateway/bad-request", "bad-request", False),
    ("gateway/arguments-invalid", "arguments-invalid", False),
    ("session-conflict", "conflict", False),
    ("session/conflict", "conflict", False),
    ("agent-preset/not-found", "agent-preset/not-found", True),
    ("internal", "internal", True),
    ("gateway/internal", "internal", True),
    ("cancelled", "cancelled", True),
    ("something-new", "something-new", True),
]


@pytest.mark.parametrize(("code", "kind", "may_be_kept"), KINDS)
async def test_codes_of_both_wires_come_to_one_kind(
    code: str, kind: str, may_be_kept: bool
) -> None:
    with pytest.raises(RefusedError) as error:
        await call(lambda asked: refused(asked, code, "its\nown words"))
    found = error.value
    assert (found.kind, found.code, found.words) == (kind, code, "its own words")
    assert found.may_be_kept == may_be_kept
    assert code in str(found)
    assert "its own words" in str(found)
    assert isinstance(found, UnknownSessionError) == (kind == "not-found")
    assert isinstance(found, HarnessError)


def test_words_tell_what_a_code_does_not() -> None:
    held = {"code": "gateway/internal", "message": "Error: SessionAlreadyOwnedError: it is held"}
    found = refusal(held, "session/prompt")
    assert isinstance(found, RefusedError)
    assert (found.kind, found.may_be_kept) == ("writer-held", False)
    corrupt = {"code": "internal", "message": "resume failed for session x: corrupt"}
    assert not refusal(corrupt, "session.prompt").may_be_kept


def test_a_refusal_is_bounded_and_shown_escaped() -> None:
    long = {"code": "c" * 10_000, "message": "\x1b[31m\u202e" + "w" * 1_000_000}
    found = refusal(long, "session/prompt")
    assert isinstance(found, RefusedError)
    assert len(str(found)) < 1_000
    assert len(found.code) <= 80
    assert "\x1b" not in str(found)
    assert "\u202e" not in str(found)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["code", "message", "details", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_any_error_member_is_an_error_of_ours(member: Any) -> None:
    assert isinstance(refusal(member, "m"), RefusedError | GarbageError)
