"""What tests ask of a real host by raw HTTP; the product's own client has no part in it."""

from __future__ import annotations

import http.client
import itertools
import json
from typing import Any

from tests.support.hosts import Host
from tests.support.hosts_releases import Wire

_IDS = itertools.count(1)


class RefusedError(AssertionError):
    """The host answered with an error; `code` is the host's own."""

    def __init__(self, method: str, code: str, message: str) -> None:
        super().__init__(f"{method}: {code}: {message}")
        self.code = code


class HostCaller:
    """Calls the methods of one host, in its own dialect; an answer may take `patience` seconds."""

    def __init__(self, host: Host, patience: float = 120.0) -> None:
        self.host = host
        self._patience = patience
        self._cookie: str | None = None
        self._entered_with: str | None = None

    def create(self, cwd: str | None = None, session_id: str | None = None) -> str:
        """A new session's id."""
        wanted = {"cwd": cwd or str(self.host.cwd)}
        if session_id is not None:
            wanted["sessionId"] = session_id
        created = self._request("session", "create", wanted)
        return str(created["sessionId"])

    def prompt(
        self, session_id: str, text: str, *, mode: str = "queue", request_id: str | None = None
    ) -> str:
        """Send a prompt; the identity that it carries in the log."""
        request_id = request_id or f"test-request-{next(_IDS)}"
        content = [{"type": "text", "text": text}]
        wanted: dict[str, Any] = {"sessionId": session_id, "mode": mode, "content": content}
        if self.host.wire is Wire.B:
            wanted["requestId"] = request_id
        self._request("session", "prompt", wanted, rpc_id=request_id)
        return request_id

    def rename(self, session_id: str, title: str) -> str:
        """The title as the host has normalised it."""
        wanted = {"sessionId": session_id, "title": title}
        return str(self._request("session", "rename", wanted)["title"])

    def fork(self, session_id: str) -> str:
        """A new session that goes on from the latest completed turn of another."""
        return str(self._request("session", "fork", {"sessionId": session_id})["sessionId"])

    def cancel(self, session_id: str) -> None:
        """End the running turn."""
        self._request("session", "cancel", {"sessionId": session_id})

    def list_sessions(self) -> dict[str, dict[str, Any]]:
        """The rows of the host's list by session id."""
        if self.host.wire is Wire.A:
            listed = self.call("session.list", {})
        else:
            named: dict[str, Any] = {"_request": {}} if self.host.release.log_format else {}
            listed = self.call("session/list", {"args": named})
        return {row["sessionId"]: row for row in listed["items"]}

    def candidates(self, session_id: str, query: str = "") -> list[dict[str, Any]]:
        """The sessions that the host offers to a prompt of this session."""
        arguments = {"agentId": session_id, "query": query}
        rows = self.call("sessionReferenceResolver/candidates", {"args": arguments})
        assert isinstance(rows, list)
        return rows

    def command(self, session_id: str, line: str) -> dict[str, Any]:
        """Run a slash command, and what came of it."""
        attachments = "submittedAttachments" if self.host.release.log_format else "images"
        arguments = {"agentId": session_id, "line": line, attachments: []}
        result = self.call("commands/execute", {"args": arguments})["result"]
        assert isinstance(result, dict)
        return result

    def call(self, method: str, payload: dict[str, Any], rpc_id: str = "test") -> Any:
        """The value that a method answers with. Raises `RefusedError`."""
        asked = {"type": "client-request", "rpcId": rpc_id, "method": method, "payload": payload}
        status, body = self.post(method, json.dumps(asked).encode())
        assert status == 200, f"{method}: HTTP {status}: {body[:300]!r}"
        result = json.loads(body)["result"]
        if not result["ok"]:
            raise RefusedError(method, result["error"]["code"], result["error"]["message"])
        return result.get("value")

    def post(self, method: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to raw bytes."""
        headers = {"content-type": "application/json"}
        if self.host.token is not None:
            headers["cookie"] = self.cookie()
        connection = http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=self._patience)
        try:
            connection.request("POST", f"/api/{method}", body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def cookie(self) -> str:
        """The cookie that the host gives for its token."""
        if self._cookie is None or self._entered_with != self.host.token:
            connection = http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=60)
            connection.request("GET", f"/?token={self.host.token}")
            response = connection.getresponse()
            assert response.status == 303, f"the token was refused: HTTP {response.status}"
            self._cookie = (response.getheader("set-cookie") or "").split(";")[0]
            self._entered_with = self.host.token
            connection.close()
        return self._cookie

    def _request(self, name: str, verb: str, wanted: dict[str, Any], rpc_id: str = "test") -> Any:
        if self.host.wire is Wire.A:
            return self.call(f"{name}.{verb}", wanted, rpc_id)
        return self.call(f"{name}/{verb}", {"args": {"request": wanted}}, rpc_id)
