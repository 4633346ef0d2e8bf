"""Every request gets exactly one answer, whatever it holds; nothing inside ever shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.harness.port import NoHarnessError
from dsh_lsp.server.failures import ArgumentError
from dsh_lsp.server.protocol import Protocol
from dsh_lsp.server.server import Server
from tests.support.scenes import make_state


class Wire:
    """Collects what the server writes."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        assert head == b"Content-Length: %d" % len(body)
        self.messages.append(json.loads(body))

    def close(self) -> None:
        pass


def make_protocol(*, begun: bool = True) -> tuple[Protocol, Wire]:
    server = Server(lambda _settings: make_state().services)
    wire = Wire()
    server.protocol.set_writer(wire)
    if begun:
        server.protocol.begin({})
    return server.protocol, wire


def handle(protocol: Protocol, method: str, handler: Callable[[Any], Any]) -> None:
    protocol.fm.features[method] = handler


def request(protocol: Protocol, method: str, params: Any = None, msg_id: Any = 1) -> None:
    message = {"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params}
    protocol.receive(json.dumps(message).encode())


HOVER = {"textDocument": {"uri": "x"}, "position": {"line": 0, "character": 0}}


def test_an_answer_carries_the_result() -> None:
    protocol, wire = make_protocol()
    handle(protocol, types.TEXT_DOCUMENT_HOVER, lambda _: types.Hover("hi"))
    request(protocol, types.TEXT_DOCUMENT_HOVER, HOVER, "id")
    assert wire.messages == [{"jsonrpc": "2.0", "id": "id", "result": {"contents": "hi"}}]


@pytest.mark.parametrize(
    ("body", "code", "msg_id"),
    [
        (b"{", -32700, None),
        (b"\xff", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"[]", -32600, None),
        (b"3", -32600, None),
        (b'{"jsonrpc":"2.0","id":[1],"method":"textDocument/hover"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"$/no/such","params":{"a":1}}', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":[]}', -32602, 1),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"position":1}}',
            -32602,
            1,
        ),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', -32600, 1),
    ],
)
def test_malformed_requests_are_answered(body: bytes, code: int, msg_id: Any) -> None:
    protocol, wire = make_protocol()
    protocol.receive(body)
    (answer,) = wire.messages
    assert answer["id"] == msg_id
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]


@pytest.mark.parametrize("data", ["[" * 900 + "]" * 900, "NaN", "1e999"])
def test_a_value_that_cannot_be_given_back_is_refused(data: str) -> None:
    protocol, wire = make_protocol()
    params = f'{{"label":"x","data":{data}}}'
    protocol.receive(
        f'{{"jsonrpc":"2.0","id":1,"method":"completionItem/resolve","params":{params}}}'.encode()
    )
    (answer,) = wire.messages
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","method":"no/such"}',
        b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"x":1}}',
        b'{"jsonrpc":"2.0","method":"textDocument/didChange","params":null}',
        b'{"jsonrpc":"2.0","method":"$/cancelRequest"}',
        b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[]}}',
        b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":77}}',
        b'{"jsonrpc":"2.0","id":"nobody asked","result":{}}',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}',
        b"{}",
    ],
)
def test_what_needs_no_answer_gets_none(body: bytes) -> None:
    protocol, wire = make_protocol()
    protocol.receive(body)
    assert wire.messages == []


def test_unknown_values_of_enumerations_are_no_reason_to_refuse() -> None:
    protocol, wire = make_protocol()
    seen: list[Any] = []
    handle(protocol, types.TEXT_DOCUMENT_COMPLETION, seen.append)
    request(protocol, types.TEXT_DOCUMENT_COMPLETION, {**HOVER, "context": {"triggerKind": 99}})
    assert [message["id"] for message in wire.messages] == [1]
    assert seen[0].context.trigger_kind == 99


def test_the_order_of_a_connection() -> None:
    protocol, wire = make_protocol(begun=False)
    request(protocol, types.TEXT_DOCUMENT_HOVER, HOVER, 1)
    request(protocol, types.INITIALIZE, {"capabilities": {"general": 5}}, 2)
    protocol.shut_down()
    request(protocol, types.TEXT_DOCUMENT_HOVER, HOVER, 3)
    assert [each.get("error", {}).get("code") for each in wire.messages] == [-32002, None, -32600]


@pytest.mark.parametrize(("shut_down", "code"), [(True, 0), (False, 1)])
def test_exit_says_whether_it_was_announced(shut_down: bool, code: int) -> None:
    protocol, _ = make_protocol()
    codes: list[int] = []
    protocol.on_exit = codes.append
    if shut_down:
        protocol.shut_down()
    protocol.receive(b'{"jsonrpc":"2.0","method":"exit"}')
    assert codes == [code]


@pytest.mark.parametrize(
    ("fault", "code", "message"),
    [
        (ArgumentError("x expects y"), -32602, "x expects y"),
        (InvalidReferenceError("bad"), -32803, "bad"),
        (NoHarnessError("start one"), -32803, "start one"),
        (KeyError("secret text"), -32603, "dsh-lsp failed inside with KeyError"),
    ],
)
@pytest.mark.parametrize("later", [False, True])
def test_failures_are_told_without_tracebacks(
    fault: Exception, code: int, message: str, later: bool
) -> None:
    async def main() -> list[dict[str, Any]]:
        protocol, wire = make_protocol()

        async def fail_later() -> None:
            raise fault

        def fail(_: Any) -> Any:
            if later:
                return fail_later()
            raise fault

        handle(protocol, types.TEXT_DOCUMENT_HOVER, fail)
        request(protocol, types.TEXT_DOCUMENT_HOVER, HOVER)
        await asyncio.sleep(0.01)
        return wire.messages

    (answer,) = asyncio.run(main())
    assert answer["error"] == {"code": code, "message": message}


def test_cancelling_settles_at_once_however_long_the_work_goes_on() -> None:
    async def main() -> list[dict[str, Any]]:
        protocol, wire = make_protocol()
        stubborn_ended = asyncio.Event()

        async def stubborn() -> None:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                await asyncio.sleep(0.1)
                stubborn_ended.set()
                raise OSError("too late to matter") from None

        handle(protocol, types.TEXT_DOCUMENT_HOVER, lambda _: stubborn())
        request(protocol, types.TEXT_DOCUMENT_HOVER, HOVER, 5)
        await asyncio.sleep(0)
        protocol.receive(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}}')
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        settled = list(wire.messages)
        await stubborn_ended.wait()
        await asyncio.sleep(0.01)
        assert wire.messages == settled  # exactly one answer
        return settled

    (answer,) = asyncio.run(main())
    assert answer["id"] == 5
    assert answer["error"]["code"] == -32800


def test_a_wrong_answer_of_the_client_fails_the_question_and_nothing_else() -> None:
    async def main() -> None:
        protocol, wire = make_protocol()
        params = types.ConfigurationParams([types.ConfigurationItem(section="dsh")])
        for reply, expected in (
            ({"result": [{"home": "/x"}]}, [{"home": "/x"}]),
            ({"result": 3}, None),
            ({"error": {"code": -32601, "message": "no"}}, None),
        ):
            asked = protocol.send_request_async(types.WORKSPACE_CONFIGURATION, params)
            msg_id = wire.messages[-1]["id"]
            protocol.receive(json.dumps({"jsonrpc": "2.0", "id": msg_id, **reply}).encode())
            if expected is None:
                with pytest.raises(Exception, match=r"params|refused"):
                    await asked
            else:
                assert list(await asked) == expected

    asyncio.run(main())


def test_lone_surrogates_reach_the_client_as_json_escapes() -> None:
    protocol, wire = make_protocol()
    handle(protocol, types.TEXT_DOCUMENT_HOVER, lambda _: types.Hover("\ud83d"))
    request(protocol, types.TEXT_DOCUMENT_HOVER, HOVER)
    assert wire.messages[0]["result"] == {"contents": "\ud83d"}
