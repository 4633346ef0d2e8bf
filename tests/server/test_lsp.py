"""Each feature through the installed command, by pytest-lsp, in every encoding."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import ClientServerConfig, LanguageClient

from tests.support.desk import Desk
from tests.support.paper import Paper

COMMAND = [str(Path(sys.executable).with_name("dsh-lsp")), "serve", "--stdio"]

URI = "untitled:prompt"

JUNK = "😀 \x00 e\u0301 \u2028 \x0c 中\rlone CR\r\nCRLF \U0001f469\u200d\U0001f4bb "
"""Everything that moves columns or looks like a line end, before what is looked at."""

UNITS = pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])

CONVERTER = get_converter()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path / "project", tmp_path / "home", tmp_path / "embedded")
    (made.project / "src").mkdir(parents=True)
    (made.project / "src" / "my file.py").write_text("x = 1\n")
    (made.project / "notes.md").write_text("hello\n")
    return made


@pytest_lsp.fixture(config=ClientServerConfig(server_command=COMMAND))
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


async def begin(
    client: LanguageClient,
    desk: Desk,
    encoding: str,
    *,
    pull: bool = True,
    settings: dict[str, Any] | None = None,
) -> types.InitializeResult:
    """Initialize as an editor that can do everything would."""
    item = types.ClientCompletionItemOptions(
        insert_replace_support=True,
        label_details_support=True,
        documentation_format=[types.MarkupKind.Markdown],
    )
    literals = types.ClientCodeActionLiteralOptions(
        types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
    )
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(
            position_encodings=[types.PositionEncodingKind(encoding)]
        ),
        text_document=types.TextDocumentClientCapabilities(
            completion=types.CompletionClientCapabilities(completion_item=item),
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            diagnostic=types.DiagnosticClientCapabilities() if pull else None,
            code_action=types.CodeActionClientCapabilities(code_action_literal_support=literals),
        ),
        workspace=types.WorkspaceClientCapabilities(
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
        ),
    )
    return await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri=desk.project.as_uri(),
            workspace_folders=[types.WorkspaceFolder(desk.project.as_uri(), "project")],
            initialization_options=settings or desk.settings,
        )
    )


def put(client: LanguageClient, text: str, version: int = 1) -> None:
    if version == 1:
        item = types.TextDocumentItem(URI, "dsh-prompt", version, text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return
    document = types.VersionedTextDocumentIdentifier(version, URI)
    change = types.TextDocumentContentChangeWholeDocument(text)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))


def plain(value: Any) -> Any:
    return CONVERTER.unstructure(value)


def position(paper: Paper, part: str, *, into: int = 0) -> types.Position:
    place = paper.position(paper.text.index(part) + into)
    return types.Position(place["line"], place["character"])


async def command(client: LanguageClient, name: str, **argument: Any) -> Any:
    params = types.ExecuteCommandParams(name, [{"uri": URI, **argument}])
    return plain_object(await client.workspace_execute_command_async(params))


def plain_object(value: Any) -> Any:
    """pygls' client makes named tuples of the objects in a command's result."""
    if hasattr(value, "_fields"):
        return {name: plain_object(getattr(value, name)) for name in value._fields}
    return [plain_object(each) for each in value] if isinstance(value, list | tuple) else value


async def diagnostics(client: LanguageClient, previous: str | None = None) -> Any:
    params = types.DocumentDiagnosticParams(
        types.TextDocumentIdentifier(URI), previous_result_id=previous
    )
    return plain(await client.text_document_diagnostic_async(params))


async def pulled(client: LanguageClient, count: int) -> Any:
    """The report with so many problems; one before the sessions were read may have fewer."""
    async with asyncio.timeout(10):
        while len((report := await diagnostics(client))["items"]) != count:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return report


async def published(client: LanguageClient, count: int) -> list[Any]:
    """The pushed diagnostics, once there are so many."""
    async with asyncio.timeout(10):
        while len(client.diagnostics.get(URI, ())) != count:
            await client.wait_for_notification("textDocument/publishDiagnostics")
    return list(plain(client.diagnostics[URI]))


@UNITS
@pytest.mark.asyncio
async def test_completion(client: LanguageClient, desk: Desk, encoding: str) -> None:
    uri = desk.remember("session-1", "Fix 中 the parser", "please fix", "done")
    result = await begin(client, desk, encoding)
    assert result.capabilities.position_encoding == encoding
    paper = Paper(f"{JUNK}see @parser later", encoding)
    put(client, paper.text)
    at = position(paper, "@parser", into=len("@par"))
    params = types.CompletionParams(types.TextDocumentIdentifier(URI), at)
    found = await client.text_document_completion_async(params)
    assert isinstance(found, types.CompletionList)
    (item,) = found.items
    assert item.label == "Fix 中 the parser"
    edit = plain(item.text_edit)
    assert paper.part(edit["insert"]) == "@par"
    assert paper.part(edit["replace"]) == "@parser"
    after = paper.edited([{"range": edit["replace"], "newText": edit["newText"]}])
    assert after == f"{JUNK}see @[Fix 中 the parser]({uri}) later"
    resolved = await client.completion_item_resolve_async(item)
    assert "please fix" in plain(resolved)["documentation"]["value"]


@UNITS
@pytest.mark.asyncio
async def test_files_keep_their_quote(client: LanguageClient, desk: Desk, encoding: str) -> None:
    await begin(client, desk, encoding)
    paper = Paper(f'{JUNK}@"my ', encoding)
    put(client, paper.text)
    at = position(paper, '@"my ', into=5)
    params = types.CompletionParams(types.TextDocumentIdentifier(URI), at)
    found = await client.text_document_completion_async(params)
    assert isinstance(found, types.CompletionList)
    (item,) = found.items
    edit = plain(item.text_edit)
    after = paper.edited([{"range": edit["replace"], "newText": edit["newText"]}])
    assert after == f'{JUNK}@"src/my file.py"'


@UNITS
@pytest.mark.asyncio
async def test_pulled_diagnostics_and_fixes(
    client: LanguageClient, desk: Desk, encoding: str
) -> None:
    uri = desk.remember("session-1", "The real title", "hi", "yo")
    await begin(client, desk, encoding)
    paper = Paper(f"{JUNK}@[Old 😀]({uri}) and @[x](dsh-session:bad=) {JUNK}", encoding)
    put(client, paper.text)
    report = await pulled(client, 2)
    assert [(each["code"], paper.part(each["range"])) for each in report["items"]] == [
        ("stale-label", "Old 😀"),
        ("SESSION_REFERENCE_INVALID_REFERENCE", "@[x](dsh-session:bad=)"),
    ]
    again = await diagnostics(client, report["resultId"])
    assert again == {"kind": "unchanged", "resultId": report["resultId"]}
    stale = CONVERTER.structure(report["items"][0], types.Diagnostic)
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(URI), stale.range, types.CodeActionContext([stale])
    )
    actions = plain(await client.text_document_code_action_async(params))
    assert [action["title"] for action in actions] == ["Change the label to The real title"]
    assert actions[0]["diagnostics"] == [report["items"][0]]
    for into in (0, len("@[Old 😀](dsh")):  # the diagnostic is about the label alone
        at = position(paper, "@[Old", into=into)
        params.range = types.Range(at, at)
        assert plain(await client.text_document_code_action_async(params)) == actions
    fixed = paper.edited(actions[0]["edit"]["changes"][URI])
    assert fixed == paper.text.replace("Old 😀", "The real title")
    put(client, fixed, version=2)
    assert len((await pulled(client, 1))["items"]) == 1


@UNITS
@pytest.mark.asyncio
async def test_pushed_diagnostics(client: LanguageClient, desk: Desk, encoding: str) -> None:
    uri = desk.remember("session-1", "Title", "hi", "yo")
    result = await begin(client, desk, encoding, pull=False)
    assert result.capabilities.diagnostic_provider is None
    paper = Paper(f"{JUNK}@[Title]({uri}) @[Title]({uri})", encoding)
    put(client, paper.text)
    (duplicate,) = await published(client, 1)
    assert duplicate["code"] == "duplicate-reference"
    assert duplicate["range"]["start"] == paper.position(paper.text.rindex("@[Title]"))
    put(client, "fine", version=2)
    assert await published(client, 0) == []


@UNITS
@pytest.mark.asyncio
async def test_hover(client: LanguageClient, desk: Desk, encoding: str) -> None:
    uri = desk.remember("session-1", "A title", "a question", "an answer")
    await begin(client, desk, encoding)
    paper = Paper(f"{JUNK}@[A title]({uri}), @notes.md", encoding)
    put(client, paper.text)
    document = types.TextDocumentIdentifier(URI)
    params = types.HoverParams(document, position(paper, uri, into=3))
    found = plain(await client.text_document_hover_async(params))
    assert paper.part(found["range"]) == f"@[A title]({uri})"
    for told in ("A title", "session-1", "a question", "an answer", "2 of 2 messages"):
        assert told in found["contents"]["value"]
    on_file = types.HoverParams(document, position(paper, "notes.md"))
    told = plain(await client.text_document_hover_async(on_file))
    assert told["contents"]["value"] == "`notes.md`: file, 6 bytes"
    nowhere = types.HoverParams(document, position(paper, "lone CR"))
    assert await client.text_document_hover_async(nowhere) is None


@UNITS
@pytest.mark.asyncio
async def test_commands_take_ranges(client: LanguageClient, desk: Desk, encoding: str) -> None:
    uri = desk.remember("session-1", "A title", "a question", "an answer")
    await begin(client, desk, encoding)
    part = f"ask 😀 about @[A title]({uri})!"
    paper = Paper(f"{JUNK}\r{part}\r\n@[broken](dsh-session:x=)", encoding)
    put(client, paper.text)
    answer = await command(client, "dsh.prepare", version=1, range=paper.place(part))
    assert answer["text"] == "ask 😀 about @A title!"
    assert answer["problems"] == []
    whole = await command(client, "dsh.prepare", version=1)
    (problem,) = whole["problems"]
    assert paper.part(problem["range"]) == "@[broken](dsh-session:x=)"


@pytest.mark.asyncio
async def test_the_whole_way(client: LanguageClient, desk: Desk) -> None:
    """Choose, send twice, be refused after an edit, and write the session down."""
    uri = desk.remember("session-1", "A title", "a question", "an answer")
    await begin(client, desk, "utf-16")
    put(client, f"Compare with @[A title]({uri})")
    refused = await command(client, "dsh.send", version=1)
    assert [problem["code"] for problem in refused["problems"]] == ["no-target"]
    sent = await command(client, "dsh.send", version=1, target="new")
    assert sent["status"] == "accepted"
    assert sent["receipt"]["state"] == "captured"
    assert "differences" not in sent["receipt"]
    chosen = await command(client, "dsh.selectTarget", target="new")
    assert chosen["target"]["sessionId"] == sent["sessionId"]
    put(client, "More", version=2)
    late = await command(client, "dsh.send", version=1)
    assert [problem["code"] for problem in late["problems"]] == ["document-changed"]
    more = await command(client, "dsh.send", version=2, mode="steer")
    assert (more["status"], more["sessionId"]) == ("accepted", sent["sessionId"])
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(URI), start, types.CodeActionContext([])
    )
    (action,) = plain(await client.text_document_code_action_async(params))
    (edit,) = action["edit"]["changes"][URI]
    assert edit["newText"] == f"---\ndsh:\n  session: {sent['sessionId']}\n---\n"
    status = await command(client, "dsh.status")
    assert status["sessions"] == 2
    assert status["target"]["sessionId"] == sent["sessionId"]


@pytest.mark.asyncio
async def test_open_documents_follow_the_store(client: LanguageClient, desk: Desk) -> None:
    from dsh_lsp.core.uri import encode

    await begin(client, desk, "utf-16", pull=False)
    put(client, f"@[Later]({encode('session-later')})")
    (problem,) = await published(client, 1)
    assert problem["code"] == "SESSION_REFERENCE_READ_FAILED"
    desk.remember("session-later", "Later", "hi", "yo")
    assert await published(client, 0) == []
    desk.remember("session-later", "Renamed", "hi", "yo, and more of it")
    (stale,) = await published(client, 1)
    assert stale["code"] == "stale-label"
