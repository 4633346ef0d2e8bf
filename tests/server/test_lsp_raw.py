"""The installed server against bytes, sizes and shapes that no client library would send."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.support.desk import Desk
from tests.support.raw_client import RawClient, raw_client
from tests.support.raw_stories import HOVER, URI, begin, codes, completed, pulled, run


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


def test_a_flood_of_cancelled_requests_is_answered(desk: Desk) -> None:
    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, "@")
        params = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 1}}
        asked = []
        for number in range(1_000):
            asked.append(client.begin("textDocument/completion", params, f"flood {number}"))
            client.notify("$/cancelRequest", {"id": f"flood {number}"})
        answers = await asyncio.gather(*asked)
        assert {answer.get("error", {}).get("code") for answer in answers} <= {None, -32800}
        assert await pulled(client) == []

    run(story)


@pytest.mark.parametrize(
    "uri", ["file://[::1", "vscode-remote://[x/y", "file:///%ff%00", "file:///\ud800", "", "::"]
)
def test_uris_of_any_shape(desk: Desk, uri: str) -> None:
    async def story(client: RawClient) -> None:
        folders = [{"uri": uri, "name": "odd"}, {"uri": desk.project.as_uri(), "name": "project"}]
        await begin(client, desk, rootUri=uri, workspaceFolders=folders)
        client.open(uri, "see @./gone.md and @")
        assert codes(await pulled(client, uri)) == ["file-not-found"]
        assert "result" in await client.request(
            "textDocument/hover",
            {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}},
        )
        await completed(client, len("see @./gone.md and @"), uri)
        sent = await client.command("dsh.send", uri=uri, target="new")
        assert sent["status"] == "accepted"

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


def test_a_command_that_is_refused_does_nothing(desk: Desk) -> None:
    tokens: list[Any] = [[], {"a": 1}, True, 1.5]

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open(URI, "hello")
        for token in tokens:
            argument = {"uri": URI, "target": "new"}
            params = {"command": "dsh.send", "arguments": [argument], "workDoneToken": token}
            assert (await client.error("workspace/executeCommand", params))["code"] == -32602
        assert not desk.embedded.exists()

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
