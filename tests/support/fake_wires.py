"""Scripts for scripted hosts: just enough of each version to be recognised and used."""

from __future__ import annotations

from typing import Any

from tests.support.scripted_host import GREETING, Answer, Asked, refused, response, value

COOKIE = "dsh-auth-test=v1.e30.sig"
TOKEN = "right-token"

DESCRIBED = {"version": "0.0.1", "cwd": "/w", "attachedSessions": 0, "home": "/home/kim"}

PROMPTS = ("session.prompt", "session/prompt")


class FakeHost:
    """Answers as one version would. `rows` and `logs` are what it holds; `prompts` what it took.

    A method in `answers` is answered so instead.
    """

    def __init__(self, version: str, *, release: str | None = None) -> None:
        self.version = version
        self.release = release
        self.rows: list[dict[str, Any]] = []
        self.logs: dict[str, list[dict[str, Any]]] = {}
        self.prompts: list[dict[str, Any]] = []
        self.attached = 0
        self.answers: dict[str, Any] = {}

    def __call__(self, asked: Asked) -> Any:
        if self.version != "0.1.0" and asked.headers.get("cookie") != COOKIE:
            return self._stranger(asked)
        if asked.method == "GET":
            return response(200, self._start_page(), content_type="text/html")
        if asked.name in self.answers:
            answer = self.answers[asked.name]
            return answer(asked) if callable(answer) else answer
        method = getattr(self, f"_{asked.name.replace('.', '_').replace('/', '_')}", None)
        known = asked.name in METHODS[self.version]
        return method(asked) if known and method else response(404, b"not found")

    def _stranger(self, asked: Asked) -> Answer:
        if asked.target == f"/?token={TOKEN}":
            cookie = f"{COOKIE}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict"
            return response(303, location="./", set_cookie=cookie)
        return response(401, GREETING if asked.method == "GET" else b"unauthorized")

    def _start_page(self) -> bytes:
        if self.release is None:
            return b"<html></html>"
        return f'<script>x = {{"release":{{"version":"{self.release}"}}}}</script>'.encode()

    def _host_describe(self, asked: Asked) -> Answer:
        return value(asked, {**DESCRIBED, "attachedSessions": self.attached})

    def _session_list(self, asked: Asked) -> Answer:
        arguments = asked.envelope["payload"].get("args")
        if self.version == "0.2.1" and arguments != {"_request": {}}:
            return refused(asked, "gateway/arguments-invalid", 'missing "_request"')
        return value(asked, {"items": self.rows})

    def _session_projections(self, asked: Asked) -> Answer:
        log = self.logs.get(_request(asked)["sessionId"])
        if log is None:
            return value(asked, None)
        return value(asked, {"kind": "cached", "asOfSeq": len(log) - 1, "values": {}})

    def _session_page(self, asked: Asked) -> Answer:
        wanted = _request(asked)
        log = self.logs.get(wanted["address"]["sessionId"])
        if log is None:
            return refused(asked, "session/not-found")
        through = wanted["throughSeq"]
        if through >= len(log):
            words = f"session page through seq {through} is past cursor {len(log) - 1}"
            return refused(asked, "gateway/bad-request", words)
        start = max(0, through + 1 - wanted["maxMessages"])
        records = [{"type": "event", "event": each} for each in log[start : through + 1]]
        return value(asked, {"records": records, "hasMore": start > 0})

    def _session_history(self, asked: Asked) -> Answer:
        wanted = asked.envelope["payload"]
        log = self.logs.get(wanted["sessionId"])
        if log is None:
            return refused(asked, "session-not-found")
        end = wanted.get("beforeSeq", len(log))
        start = max(0, end - wanted["maxMessages"])
        events = [{"event": each} for each in log[start:end]]
        return value(asked, {"events": events, "hasMore": start > 0})

    def _session_create(self, asked: Asked) -> Answer:
        session_id = f"session-{len(self.logs) + 1}"
        self.logs[session_id] = []
        return value(asked, {"sessionId": session_id})

    def _session_prompt(self, asked: Asked) -> Answer:
        envelope = asked.envelope
        older = self.version == "0.1.0"
        wanted = dict(envelope["payload"]) if older else dict(_request(asked))
        wanted.setdefault("requestId", envelope["rpcId"])
        if wanted["sessionId"] not in self.logs:
            return refused(asked, "session-not-found" if older else "session/not-found")
        self.prompts.append(wanted)
        return value(asked, {"accepted": True})

    def _session_uploadFileBinary(self, asked: Asked) -> Answer:  # noqa: N802
        return response(415, b"content type must be application/octet-stream")

    def _session_rename(self, asked: Asked) -> Answer:
        return value(asked, {"title": "renamed", "seq": 1})

    def _session_cancel(self, asked: Asked) -> Answer:
        return value(asked, {"accepted": True})

    def _sessionReferenceResolver_candidates(self, asked: Asked) -> Answer:  # noqa: N802
        if not asked.envelope["payload"]["args"]:
            return refused(asked, "gateway/arguments-invalid", 'missing "agentId", "query"')
        return value(asked, [{"sessionId": "a", "label": "A"}])

    def _fileReferences_list(self, asked: Asked) -> Answer:  # noqa: N802
        return value(asked, [{"path": "src", "kind": "directory"}])


_BOTH = {"sessionReferenceResolver/candidates", "fileReferences/list"}
_NEWER = {
    *_BOTH,
    *("session/list", "session/page", "session/create", "session/prompt"),
    *("session/rename", "session/cancel"),
}
METHODS = {
    "0.1.0": {
        *_BOTH,
        *("host.describe", "session.list", "session.history", "session.create"),
        *("session.prompt", "session.rename", "session.cancel"),
    },
    "0.1.2": _NEWER,
    "0.1.5": {*_NEWER, "session/uploadFileBinary"},
    "0.2.1": {*_NEWER, "session/uploadFileBinary", "session/projections"},
}


def _request(asked: Asked) -> dict[str, Any]:
    request = asked.envelope["payload"]["args"]["request"]
    assert isinstance(request, dict)
    return request
