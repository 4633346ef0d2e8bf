"""The installed server against bytes and shapes that no client library would send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.core.uri import encode
from tests.support.desk import Desk
from tests.support.log_script import Script
from tests.support.raw_client import RawClient, raw_client
from tests.support.store_writer import log_path, write_log

URI = "untitled:prompt"

VECTORS = Path(__file__).parents[1] / "vectors" / "parse.jsonl"

PULL: dict[str, Any] = {"textDocument": {"diagnostic": {}}}

Story = Callable[[RawClient], Awaitable[None]]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path / "project", tmp_path / "home", tmp_path / "embedded")
    made.project.mkdir()
    (made.home / "sessions").mkdir(parents=True)
    return made


def run(story: Story, *arguments: str) -> None:
    """Play a story with a fresh server, which must end well and have said nothing else."""

    async def main() -> None:
        async with raw_client(*arguments) as client:
            await story(client)
            code, said = await client.end()
            assert (code, said, client.torn, client.unmatched) == (0, b"", b"", [])

    asyncio.run(main())


async def begin(client: RawClient, desk: Desk, **more: Any) -> None:
    given = {
        "rootUri": desk.project.as_uri(),
        "initializationOptions": desk.settings,
        "capabilities": PULL,
    }
    await client.initialize(**{**given, **more})


async def pulled(client: RawClient, uri: str = URI) -> list[dict[str, Any]]:
    params = {"textDocument": {"uri": uri}}
    return list((await client.result("textDocument/diagnostic", params))["items"])


def codes(problems: list[dict[str, Any]]) -> list[str]:
    return [problem["code"] for problem in problems]


async def completed(client: RawClient, character: int, uri: str = URI) -> list[str]:
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": character}}
    found = await client.result("textDocument/completion", params)
    return [item["label"] for item in found["items"]]


def test_every_malformed_mention_of_the_vectors(desk: Desk) -> None:
    cases = [json.loads(line) for line in VECTORS.read_bytes().split(b"\n") if line]
    failing = [case for case in cases if "error" in case]
    assert len(failing) > 100

    async def story(client: RawClient) -> None:
        await begin(
            client, desk, capabilities={**PULL, "general": {"positionEncodings": ["utf-16"]}}
        )
        for number, case in enumerate(failing):
            uri, text = f"untitled:{number}", case["in"]["text"]
            client.open(uri, text)
            problems = await pulled(client, uri)
            faults = [
                problem["range"]
                for problem in problems
                if problem["code"] == "SESSION_REFERENCE_INVALID_REFERENCE"
            ]
            start, end = case["error"]["failSpanUtf16"]
            assert utf16_span(text, faults[0]) == (start, end), case["name"]
            refused = await client.command("dsh.send", uri=uri, target="new")
            assert refused["status"] == "refused"
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    run(story)


def utf16_span(text: str, place: dict[str, Any]) -> tuple[int, int]:
    """An LSP range as offsets in UTF-16 units, counted here anew."""
    units = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    raw = units.encode("utf-16-le", "surrogatepass")
    chars = [raw[index : index + 2] for index in range(0, len(raw), 2)]
    starts = [0]
    for index, unit in enumerate(chars):
        follows = chars[index + 1] if index + 1 < len(chars) else b""
        if unit == b"\n\x00" or (unit == b"\r\x00" and follows != b"\n\x00"):
            starts.append(index + 1)
    ends = (place[name] for name in ("start", "end"))
    start, end = (starts[each["line"]] + each["character"] for each in ends)
    return start, end


def test_unreadable_sessions_each_cost_only_themselves(desk: Desk) -> None:
    good = desk.remember("session-good", "Good", "hi", "yo")
    corrupt = Script("session-corrupt", version=4, cwd=str(desk.project))
    corrupt.exchange("a", "b")
    write_log(desk.home / "sessions", corrupt)
    path = log_path(desk.home / "sessions", corrupt)
    path.write_bytes(path.read_bytes()[:40] + b"garbage" * 20)
    newer = Script("session-newer", version=9, cwd=str(desk.project))
    write_log(desk.home / "sessions", newer)
    mentions = {name: f"@[x]({encode(name)})" for name in ("session-corrupt", "session-newer")}

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        for name, mention in {**mentions, "session-none": f"@[x]({encode('none')})"}.items():
            client.open(f"untitled:{name}", f"@[Good]({good}) {mention}")
            (problem,) = await pulled(client, f"untitled:{name}")
            assert problem["code"] == "SESSION_REFERENCE_READ_FAILED"
            assert problem["range"]["start"]["character"] == len(f"@[Good]({good}) ")
            assert "Traceback" not in problem["message"]

    run(story)


def test_references_that_cannot_be_sent(desk: Desk) -> None:
    uris = [desk.remember(f"session-{number}", f"S{number}", "hi", "yo") for number in range(4)]
    mentions = [f"@[S{number}]({uri})" for number, uri in enumerate(uris)]
    front_matter = "---\ndsh:\n  session: session-0\n---\n"

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open("untitled:four", " ".join(mentions))
        assert codes(await pulled(client, "untitled:four")) == ["SESSION_REFERENCE_TOO_MANY"]
        client.open("untitled:self", f"{front_matter}{mentions[0]}")
        assert codes(await pulled(client, "untitled:self")) == ["SESSION_REFERENCE_SELF_REFERENCE"]
        client.open("untitled:big", f"@[{'<' * 10_909}]({uris[1]})")
        problems = await pulled(client, "untitled:big")
        assert "SESSION_REFERENCE_BUDGET_EXCEEDED" in codes(problems)
        for name in ("four", "self", "big"):
            answer = await client.command("dsh.send", uri=f"untitled:{name}")
            assert answer["status"] == "refused"

    run(story)


@pytest.mark.parametrize("kind", ["missing", "file", "unreadable"])
def test_a_store_that_is_no_store(desk: Desk, kind: str) -> None:
    store = desk.home / "sessions"
    store.rmdir()
    if kind == "file":
        store.write_text("not a folder")
    if kind == "unreadable":
        store.mkdir(mode=0o000)

    async def story(client: RawClient) -> None:
        settings = {**desk.settings, "harness": {"mode": "auto"}}
        await begin(client, desk, initializationOptions=settings)
        client.open(URI, f"@[x]({encode('a')}) @")
        assert await completed(client, len(f"@[x]({encode('a')}) @")) == []
        assert codes(await pulled(client)) == ["SESSION_REFERENCE_READ_FAILED"]
        status = await client.command("dsh.status")
        assert status["sessions"] == 0
        assert status["store"] == str(store)
        refused = await client.command("dsh.send", uri=URI)
        assert "no-harness" in codes(refused["problems"])

    run(story)
    if kind == "missing":
        assert not store.exists()


def test_a_big_prompt(desk: Desk) -> None:
    uri = desk.remember("session-1", "Title", "hi", "yo")
    mention = f"@[Title]({uri})"
    line = f"{'word ' * 190}{mention}\r\n"
    text = line * 1_000
    assert len(text) > 950_000

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, text)
        assert len(await pulled(client)) == 999
        edits = [
            {
                "range": {
                    "start": {"line": number, "character": 0},
                    "end": {"line": number, "character": 4},
                },
                "text": "edit",
            }
            for number in range(1_000)
        ]
        client.change(URI, 2, *edits)
        answer = await client.command("dsh.prepare", uri=URI, version=2)
        assert answer["text"].count("edit") == 1_000
        assert len(answer["references"]) == 1

    run(story)


def test_no_folder_and_several_folders(desk: Desk) -> None:
    other = desk.project.parent / "other"
    other.mkdir()
    (desk.project / "in-project.md").touch()
    (other / "in-other.md").touch()

    async def story(client: RawClient) -> None:
        await begin(client, desk, rootUri=None)
        client.open(URI, "@in")
        assert await completed(client, 3) == []
        event = {
            "added": [
                {"uri": desk.project.as_uri(), "name": "project"},
                {"uri": other.as_uri(), "name": "other"},
            ],
            "removed": [],
        }
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert await completed(client, 3) == ["in-project.md"]
        there = (other / "prompt.dsh.md").as_uri()
        client.open(there, "@in")
        assert await completed(client, 3, there) == ["in-other.md"]
        gone = {"added": [], "removed": [{"uri": other.as_uri(), "name": "other"}]}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": gone})
        assert await completed(client, 3, there) == ["in-project.md"]

    run(story)


def test_wrong_settings_are_told_once_and_cost_only_themselves(desk: Desk) -> None:
    wrong = {**desk.settings, "hover": {"enabled": "yes"}, "references": {"maxReferences": 9}}

    async def story(client: RawClient) -> None:
        await begin(client, desk, initializationOptions={"dsh": wrong})
        client.notify("workspace/didChangeConfiguration", {"settings": {"dsh": {}}})
        client.open(URI, "hello")
        assert (await client.command("dsh.status", uri=URI))["mode"] == "embedded"
        shown = [
            each["params"]
            for each in client.notifications
            if each["method"] == "window/showMessage"
        ]
        assert len(shown) == 1
        assert shown[0]["type"] == 2
        for path in ("dsh.hover.enabled", "dsh.references.maxReferences"):
            assert path in shown[0]["message"]

    run(story)


@pytest.mark.parametrize("options", [None, 3, [], "x", {"dsh": 3}, {"dsh": None}, {"home": 5}])
def test_settings_of_any_shape(desk: Desk, options: Any) -> None:
    async def story(client: RawClient) -> None:
        await begin(client, desk, initializationOptions=options)
        client.notify("workspace/didChangeConfiguration", {"settings": options})
        client.open(URI, "@[x](dsh-session:bad=)")
        assert codes(await pulled(client)) == ["SESSION_REFERENCE_INVALID_REFERENCE"]

    run(story, "--home", str(desk.home))


HOVER = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 3}}


def test_settings_change_live_when_pushed(desk: Desk) -> None:
    uri = desk.remember("session-1", "Title", "hi", "yo")

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, f"@[Old]({uri}) @[Old]({uri})")
        assert codes(await pulled(client)) == ["stale-label", "duplicate-reference", "stale-label"]
        assert await client.result("textDocument/hover", HOVER)
        changed = {"hover": {"enabled": False}, "diagnostics": {"staleLabel": False}}
        client.notify("workspace/didChangeConfiguration", {"settings": {"dsh": changed}})
        assert codes(await pulled(client)) == ["duplicate-reference"]
        assert await client.result("textDocument/hover", HOVER) is None
        elsewhere = {"home": str(desk.home / "elsewhere")}
        client.notify("workspace/didChangeConfiguration", {"settings": elsewhere})
        assert "SESSION_REFERENCE_READ_FAILED" in codes(await pulled(client))

    run(story)


def test_settings_are_pulled_from_clients_that_can_be_asked(desk: Desk) -> None:
    capabilities = {
        **PULL,
        "workspace": {
            "configuration": True,
            "didChangeConfiguration": {"dynamicRegistration": True},
        },
    }

    async def story(client: RawClient) -> None:
        client.answers["workspace/configuration"] = [{**desk.settings, "hover": {"enabled": False}}]
        await begin(client, desk, initializationOptions=None, capabilities=capabilities)

        def asked() -> list[str]:
            return [each["method"] for each in client.requests]

        await client.until(lambda: "workspace/configuration" in asked())
        client.open(URI, "@[x](dsh-session:bad=)")
        assert await client.result("textDocument/hover", HOVER) is None
        await client.until(lambda: "client/registerCapability" in asked())
        client.answers["workspace/configuration"] = [desk.settings]
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert await client.result("textDocument/hover", HOVER) is not None
        assert asked().count("workspace/configuration") == 2

    run(story)


def test_a_newer_completion_ends_the_older_one(desk: Desk) -> None:
    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, "@")
        params = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 1}}
        asked = [client.begin("textDocument/completion", params) for _ in range(5)]
        answers = await asyncio.gather(*asked)
        assert "result" in answers[-1]
        assert [answer["error"]["code"] for answer in answers[:-1]] == [-32800] * 4
        stale = client.begin("textDocument/completion", params)
        client.change(URI, 2, {"text": "@x"})
        assert (await stale)["error"]["code"] == -32800

    run(story)


def test_what_no_client_should_send_is_answered(desk: Desk) -> None:
    async def story(client: RawClient) -> None:
        early = await client.error("textDocument/hover", HOVER)
        assert early["code"] == -32002
        strange = {
            "general": {"positionEncodings": ["utf-99", "utf-8"]},
            "textDocument": {
                "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [1]}}},
                "completion": {"completionItemKind": {"valueSet": [999, "x"]}},
                "diagnostic": {},
            },
            "workspace": {"symbol": {"symbolKind": {"valueSet": [77]}}},
            "unknownThing": {"a": [1]},
        }
        result = await client.initialize(capabilities=strange, trace="loud", workspaceFolders=7)
        assert result["capabilities"]["positionEncoding"] == "utf-8"
        unparsable = client.answer_to(None)
        client.send_body(b"{]")
        assert (await unparsable)["error"]["code"] == -32700
        for method, params, code in (
            ("no/such", None, -32601),
            ("textDocument/hover", None, -32602),
            ("textDocument/hover", {"textDocument": 3}, -32602),
            ("textDocument/hover", {**HOVER, "textDocument": {"uri": "file:///none"}}, -32602),
            ("textDocument/hover", {**HOVER, "position": {"line": "x", "character": 0}}, -32602),
            ("workspace/executeCommand", {"command": "dsh.none"}, -32602),
            ("workspace/executeCommand", {"command": "dsh.send", "arguments": [1, 2]}, -32602),
            ("workspace/executeCommand", {"command": "dsh.send", "arguments": [{}]}, -32602),
        ):
            error = await client.error(method, params)
            assert error["code"] == code, (method, params, error)
            assert "Traceback" not in json.dumps(error)
            assert "data" not in error
        client.notify("textDocument/didChange", {"textDocument": {"uri": "x", "version": 2}})
        client.notify("workspace/didRenameFiles", {"files": 3})
        client.notify("$/setTrace", {"value": "verbose"})
        client.open(URI, "@")
        context = {"triggerKind": 55, "triggerCharacter": "@"}
        params = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 1}}
        answer = await client.result("textDocument/completion", {**params, "context": context})
        assert answer["isIncomplete"] is False
        assert [each for each in client.notifications if "showMessage" in each["method"]] == []
        await client.result("shutdown")
        assert (await client.error("textDocument/hover", HOVER))["code"] == -32600

    async def main() -> None:
        async with raw_client("--home", str(desk.home)) as client:
            await story(client)
            client.notify("exit")
            assert await client.ended() == (0, b"")

    asyncio.run(main())


def test_progress_is_shown_with_the_clients_token_and_cancels() -> None:
    async def story(client: RawClient) -> None:
        await client.initialize()
        client.open(URI, "hello")
        params = {"command": "dsh.prepare", "arguments": [{"uri": URI}], "workDoneToken": "t"}
        await client.result("workspace/executeCommand", params)
        steps = [
            each["params"]["value"]["kind"]
            for each in client.notifications
            if each["method"] == "$/progress" and each["params"]["token"] == "t"
        ]
        assert steps[0] == "begin"
        assert steps[-1] == "end"
        client.notify("window/workDoneProgress/cancel", {"token": "t"})

    run(story)


@pytest.mark.parametrize("polite", [True, False])
def test_the_end(polite: bool) -> None:
    async def main() -> tuple[int, bytes]:
        async with raw_client() as client:
            await client.initialize()
            if polite:
                return await client.end()
            return await client.ended()  # the client has just gone

    assert asyncio.run(main()) == (0 if polite else 1, b"")


def test_what_is_not_lsp_is_told_so() -> None:
    async def main() -> tuple[int, bytes]:
        async with raw_client() as client:
            client.send_bytes(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return await client.ended()

    code, said = asyncio.run(main())
    assert code == 1
    assert said.count(b"\n") == 1
    assert b"speaks LSP" in said


def test_nothing_is_ever_written_into_the_store(desk: Desk) -> None:
    from tests.support.store_writer import tree

    uri = desk.remember("session-1", "Title", "hi", "yo")
    before = tree(desk.home)

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, f"see @[Title]({uri}) @")
        await completed(client, len(f"see @[Title]({uri}) @"))
        await client.result(
            "textDocument/hover", {**HOVER, "position": {"line": 0, "character": 6}}
        )
        sent = await client.command("dsh.send", uri=URI, target="new")
        assert sent["status"] == "accepted"

    run(story)
    assert tree(desk.home) == before


def test_several_clients_at_a_time_over_tcp() -> None:
    from tests.support.raw_client import SERVE

    async def hello(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Any]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(framed({"id": 1, "method": "initialize", "params": {"capabilities": {}}}))
        return reader, writer, (await answer(reader))["result"]["serverInfo"]["name"]

    async def answer(reader: asyncio.StreamReader) -> Any:
        header = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        return json.loads(await reader.readexactly(int(header.split(b":")[1])))

    def framed(message: dict[str, Any]) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    async def main() -> None:
        process = await asyncio.create_subprocess_exec(
            *SERVE[:-1], "--tcp", "127.0.0.1:0", stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr is not None
        try:
            said = await asyncio.wait_for(process.stderr.readline(), 10)
            port = int(said.strip().rpartition(b":")[2])
            clients = [await hello(port) for _ in range(2)]
            assert [name for _, _, name in clients] == ["dsh-lsp"] * 2
            for number, (reader, writer, _) in enumerate(clients):
                writer.write(framed({"id": 2, "method": "shutdown"}))
                assert await answer(reader) == {"jsonrpc": "2.0", "id": 2, "result": None}
                writer.write(framed({"method": "exit"}))
                assert await asyncio.wait_for(reader.read(), 10) == b"", number
                writer.close()
        finally:
            process.terminate()
            await process.wait()

    asyncio.run(main())
