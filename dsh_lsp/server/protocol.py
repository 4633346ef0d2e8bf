"""JSON-RPC as this server speaks it: every request gets exactly one answer, whatever it holds.

pygls gives the message types and the requests to the client. Its dispatch is replaced, since it
leaves malformed requests unanswered, answers with tracebacks, and waits for handlers that were
cancelled (docs/architecture.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING, Any

from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.harness.port import HarnessError
from dsh_lsp.server.failures import ArgumentError, UnknownDocumentError
from dsh_lsp.server.wire import is_request_id
from dsh_lsp.server.without_converter import completion_json, read_params

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

_log = logging.getLogger("dsh_lsp.server")

_RAW = frozenset({types.INITIALIZE, types.INITIALIZED, types.WORKSPACE_DID_CHANGE_CONFIGURATION})
"""Methods whose params are read leniently from plain JSON, since clients send anything there."""

_REQUEST_FAILED = int(types.LSPErrorCodes.RequestFailed)


class Protocol(LanguageServerProtocol):
    """One connection. `on_exit` is called with the exit code when the client wants the end."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.fm.builtin_features.clear()
        self.on_exit: Callable[[int], None] = lambda _code: None
        self._initialized = False
        self._tasks: dict[int | str, asyncio.Future[Any]] = {}
        self._aside: set[asyncio.Future[Any]] = set()  # the event loop holds tasks only weakly

    def structure_message(self, data: Any) -> Any:
        """pygls gives every object of a message to this, from the inside out; ours waits."""
        return data

    def receive(self, body: bytes) -> None:
        """Take one message as it came over the wire."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            self._answer_error(None, JsonRpcParseError("the message is not valid JSON in UTF-8"))
            return
        self.handle_message(data)

    def begin(self, params: Any) -> None:
        """Take the params of an `initialize` that has been answered already."""
        self._initialized = True
        self.fm.features[types.INITIALIZE](params)

    def handle_message(self, message: Any) -> None:
        """Take one parsed message, and never raise because of what it holds."""
        if not isinstance(message, dict):
            self._answer_error(None, JsonRpcInvalidRequest("a message must be an object"))
        elif not isinstance(message.get("method"), str):
            self._take_response(message)
        elif "id" in message:
            self._take_request(message)
        else:
            self._take_notification(message)

    def _take_request(self, message: dict[str, Any]) -> None:
        msg_id = message["id"]
        if not is_request_id(msg_id):
            self._answer_error(None, JsonRpcInvalidRequest("an id must be a number or a string"))
            return
        try:
            result = self._handler(message)(self._params(message))
        except Exception as fault:
            self._answer_error(msg_id, _as_error(fault))
            return
        if inspect.isawaitable(result):
            self._answer_later(msg_id, result)
        else:
            self._answer(msg_id, result)

    def _take_notification(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if method == types.EXIT:
            self.on_exit(0 if self._shutdown else 1)
            return
        if method == types.CANCEL_REQUEST:
            params = message.get("params")
            self._cancel(params.get("id") if isinstance(params, dict) else None)
            return
        try:
            result = self._handler(message)(self._params(message))
        except Exception as fault:
            _note("notification", method, fault)
            return
        if inspect.isawaitable(result):
            self._run_aside(method, result)

    def _handler(self, message: dict[str, Any]) -> Callable[[Any], Any]:
        method = message["method"]
        if self._shutdown:
            raise JsonRpcInvalidRequest("the server has been shut down")
        if not self._initialized and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("initialize comes first")
        if self._initialized and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("the server has been initialized already")
        handler: Callable[[Any], Any] | None = self.fm.features.get(method)
        if handler is None:
            raise JsonRpcMethodNotFound(f"no such method: {method:.100}")
        self._initialized = True
        return handler

    def _params(self, message: dict[str, Any]) -> Any:
        """The params as LSP's type for the method."""
        method = message["method"]
        if method in _RAW:
            params = message.get("params")
            return params if isinstance(params, dict) else {}
        read = read_params(method, message.get("params"))
        if read is not None:
            return read
        kind: type[Any] = self.get_message_type(method) or object
        try:
            return self._converter.structure({"jsonrpc": "2.0", **message}, kind).params
        except Exception as fault:
            raise JsonRpcInvalidParams(_what_is_wrong(fault)) from None

    def _answer_later(self, msg_id: int | str, work: Awaitable[Any]) -> None:
        """Answer when the work ends, or at once when it is cancelled, however long it goes on."""
        task = asyncio.ensure_future(work)
        answer: asyncio.Future[Any] = task.get_loop().create_future()
        self._tasks[msg_id] = answer

        def ended(done: asyncio.Future[Any]) -> None:
            if answer.done():
                _look_at(done)
            elif done.cancelled():
                answer.cancel()
            elif (fault := done.exception()) is not None:
                answer.set_exception(fault)
            else:
                answer.set_result(done.result())

        def answered(_: asyncio.Future[Any]) -> None:
            self._tasks.pop(msg_id, None)
            if answer.cancelled():
                task.cancel()
                self._answer_error(msg_id, JsonRpcRequestCancelled("the request was cancelled"))
            elif (fault := answer.exception()) is not None:
                self._answer_error(msg_id, _as_error(fault))
            else:
                self._answer(msg_id, answer.result())

        task.add_done_callback(ended)
        answer.add_done_callback(answered)

    def _run_aside(self, method: str, work: Awaitable[Any]) -> None:
        task = asyncio.ensure_future(work)
        self._aside.add(task)

        def ended(done: asyncio.Future[Any]) -> None:
            self._aside.discard(done)
            if not done.cancelled() and (fault := done.exception()) is not None:
                _note("notification", method, fault)

        task.add_done_callback(ended)

    def _cancel(self, msg_id: Any) -> None:
        answer = self._tasks.get(msg_id) if isinstance(msg_id, int | str) else None
        if answer is not None:
            answer.cancel()

    def shut_down(self) -> None:
        """Cancel every running request; from now on new ones are refused."""
        self._shutdown = True
        for answer in list(self._tasks.values()):
            answer.cancel()

    def _take_response(self, message: dict[str, Any]) -> None:
        """An answer to a request of ours; one that has a wrong shape is a failed one."""
        msg_id = message.get("id")
        future: Future[Any] | None = None
        if isinstance(msg_id, int | str):
            future = self._request_futures.pop(msg_id, None)
            kind = self._result_types.pop(msg_id, None)
        if future is None:
            return
        with contextlib.suppress(InvalidStateError):
            if "error" in message:
                future.set_exception(JsonRpcException("the client refused"))
                return
            try:
                result = message.get("result")
                if kind is not None:
                    result = self._converter.structure({"jsonrpc": "2.0", **message}, kind).result
            except Exception as fault:
                future.set_exception(JsonRpcException(_what_is_wrong(fault)))
            else:
                future.set_result(result)

    def _answer(self, msg_id: int | str, result: Any) -> None:
        try:
            is_list = isinstance(result, types.CompletionList)
            plain = completion_json(result) if is_list else self._converter.unstructure(result)
            self._send_data({"jsonrpc": "2.0", "id": msg_id, "result": plain})
        except (RecursionError, ValueError):
            # The client gets some of its own values back, and these need not be writable as JSON.
            fault = JsonRpcInvalidParams("a value is nested too deeply or is not a finite number")
            self._answer_error(msg_id, fault)

    def _answer_error(self, msg_id: int | str | None, fault: JsonRpcException) -> None:
        error = {"code": fault.code, "message": fault.message}
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "error": error})

    def _send_data(self, data: Any) -> None:
        """Write one message. Unlike pygls' own, this never logs what it holds."""
        if self.writer is None:
            return
        body = json.dumps(data, default=self._serialize_message, allow_nan=False).encode()
        head = f"Content-Length: {len(body)}\r\n\r\n".encode() if self._include_headers else b""
        written = self.writer.write(head + body)
        if inspect.isawaitable(written):
            self._run_aside("write", written)


def _as_error(fault: BaseException) -> JsonRpcException:
    """What the client is told: a sentence for people, and never a traceback."""
    if isinstance(fault, JsonRpcException):
        return fault
    if isinstance(fault, ArgumentError | UnknownDocumentError):
        return JsonRpcInvalidParams(str(fault.args[0]))
    if isinstance(fault, SessionReferenceError | HarnessError):
        return JsonRpcException(str(fault), _REQUEST_FAILED)
    if isinstance(fault, asyncio.CancelledError):
        return JsonRpcRequestCancelled("the request was cancelled")
    _note("request", "", fault)
    return JsonRpcInternalError(f"dsh-lsp failed inside with {type(fault).__name__}")


def _note(what: str, method: str, fault: BaseException) -> None:
    """A failure for the log: never what the message or the exception said."""
    _log.warning("a %s %s failed with %s", what, method, type(fault).__name__)


def _what_is_wrong(fault: BaseException) -> str:
    try:
        reasons = transform_error(fault, path="params")
    except Exception:
        reasons = []
    return "; ".join(reasons[:3])[:500] or "the params have not the shape that LSP gives them"


def _look_at(done: asyncio.Future[Any]) -> None:
    """What becomes of abandoned work is dropped, and asyncio is told so."""
    if not done.cancelled():
        done.exception()
