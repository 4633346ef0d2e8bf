"""What an editor does with a server: one method for each thing that a user does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dsh_lsp.demo.buffer import Buffer, Json
from dsh_lsp.demo.client import Client

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "completion": {
            "completionItem": {
                "labelDetailsSupport": True,
                "insertReplaceSupport": True,
                "documentationFormat": ["markdown"],
            }
        },
        "hover": {"contentFormat": ["markdown"]},
        "diagnostic": {},
        "publishDiagnostics": {"relatedInformation": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source"]}}
        },
    },
}


class Editor:
    """An editor with one window."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def start(self, workspace: Path, settings: Mapping[str, Any]) -> Json:
        """Open a workspace folder; what the server says of itself."""
        folder = {"uri": workspace.as_uri(), "name": workspace.name}
        result: Json = await self._client.request(
            "initialize",
            {
                "processId": None,
                "capabilities": CAPABILITIES,
                "workspaceFolders": [folder],
                "initializationOptions": settings,
            },
        )
        self._client.notify("initialized", {})
        return result

    def open(self, path: Path, text: str) -> Buffer:
        """Open a document."""
        buffer = Buffer(path.as_uri(), text)
        document = {**buffer.identifier, "languageId": "markdown", "version": 1, "text": text}
        self._client.notify("textDocument/didOpen", {"textDocument": document})
        return buffer

    def change(self, buffer: Buffer, text: str) -> None:
        """Replace the whole text."""
        buffer.version += 1
        buffer.text = text
        document = {**buffer.identifier, "version": buffer.version}
        change = {"textDocument": document, "contentChanges": [{"text": text}]}
        self._client.notify("textDocument/didChange", change)

    def type(self, buffer: Buffer, typed: str) -> None:
        """Insert text at the end, as an incremental change."""
        end = buffer.position(len(buffer.text))
        buffer.version += 1
        buffer.text += typed
        document = {**buffer.identifier, "version": buffer.version}
        change = {"range": {"start": end, "end": end}, "text": typed}
        self._client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )

    def apply(self, buffer: Buffer, edits: Sequence[Json]) -> None:
        """Apply a server's edits."""
        self.change(buffer, buffer.applied(edits))

    async def complete(self, buffer: Buffer, offset: int) -> list[Json]:
        """The rows of the completion menu, in the order in which an editor sorts them."""
        found = await self._client.request("textDocument/completion", _at(buffer, offset))
        items = found["items"] if isinstance(found, dict) else found or []
        return sorted(items, key=lambda item: item.get("sortText", item["label"]))

    async def hover(self, buffer: Buffer, offset: int) -> str:
        """The Markdown of a hover; empty when there is none."""
        found = await self._client.request("textDocument/hover", _at(buffer, offset))
        return str(found["contents"]["value"]) if found else ""

    async def diagnostics(self, buffer: Buffer) -> list[Json]:
        """All diagnostics, in document order."""
        params = {"textDocument": buffer.identifier}
        found = await self._client.request("textDocument/diagnostic", params)
        items: list[Json] = found["items"]
        return sorted(items, key=lambda item: buffer.span(item["range"]))

    async def actions(self, buffer: Buffer, place: Json, about: Sequence[Json]) -> list[Json]:
        """The quick fixes at a range; `about` are the diagnostics that the user looks at."""
        params = {
            "textDocument": buffer.identifier,
            "range": place,
            "context": {"diagnostics": about, "only": ["quickfix"]},
        }
        return list(await self._client.request("textDocument/codeAction", params) or [])

    async def command(self, name: str, argument: Json) -> Json:
        """The result of a command."""
        params = {"command": name, "arguments": [argument]}
        result: Json = await self._client.request("workspace/executeCommand", params)
        return result


def edits_of(action: Json, buffer: Buffer) -> list[Json]:
    """The edits of a code action in the one document that it may change."""
    edit = action["edit"]
    if "changes" in edit:
        return list(edit["changes"][buffer.uri])
    return [each for change in edit["documentChanges"] for each in change["edits"]]


def _at(buffer: Buffer, offset: int) -> dict[str, Any]:
    return {"textDocument": buffer.identifier, "position": buffer.position(offset)}
