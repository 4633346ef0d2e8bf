"""What the connected editor can do, read leniently from the `initialize` request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dsh_lsp.core.display import one_line
from dsh_lsp.core.text import Unit

TRIGGER_SUGGEST = "editor.action.triggerSuggest"
"""The command that opens completion again. LSP has none, so clients advertise that they know it."""

OUTBOX = "`dsh-lsp outbox`"
"""How people open the outbox, unless the client tells what it has for that."""


@dataclass(frozen=True, slots=True)
class Client:
    """The capabilities that change what the server does. Everything else is the same for all."""

    unit: Unit = Unit.UTF16
    markdown: bool = False
    markdown_documentation: bool = False
    insert_replace: bool = False
    label_details: bool = False
    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    related_information: bool = False
    pulls_configuration: bool = False
    registers_configuration: bool = False
    code_action_literals: bool = False
    versioned_edits: bool = False
    progress: bool = False
    trigger_suggest: bool = False
    outbox: str = OUTBOX


def read_client(params: Mapping[str, Any]) -> Client:
    """The client behind `initialize` params of any shape; what is not understood is not there."""

    def at(path: str) -> Any:
        value: Any = params.get("capabilities")
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def has(path: str) -> bool:
        return at(path) is True

    def prefers_markdown(path: str) -> bool:
        formats = at(path)
        return isinstance(formats, list) and formats[:1] == ["markdown"]

    commands = at("experimental.commands.commands")
    outbox = at("experimental.dsh.outbox")
    return Client(
        unit=_unit(at("general.positionEncodings")),
        markdown=prefers_markdown("textDocument.hover.contentFormat"),
        markdown_documentation=prefers_markdown(
            "textDocument.completion.completionItem.documentationFormat"
        ),
        insert_replace=has("textDocument.completion.completionItem.insertReplaceSupport"),
        label_details=has("textDocument.completion.completionItem.labelDetailsSupport"),
        pulls_diagnostics=isinstance(at("textDocument.diagnostic"), dict),
        refreshes_diagnostics=has("workspace.diagnostics.refreshSupport"),
        related_information=has("textDocument.publishDiagnostics.relatedInformation")
        or has("textDocument.diagnostic.relatedInformation"),
        pulls_configuration=has("workspace.configuration"),
        registers_configuration=has("workspace.didChangeConfiguration.dynamicRegistration"),
        code_action_literals=isinstance(
            at("textDocument.codeAction.codeActionLiteralSupport"), dict
        ),
        versioned_edits=has("workspace.workspaceEdit.documentChanges"),
        progress=has("window.workDoneProgress"),
        trigger_suggest=isinstance(commands, list) and TRIGGER_SUGGEST in commands,
        outbox=one_line(outbox) if isinstance(outbox, str) else OUTBOX,
    )


def _unit(encodings: Any) -> Unit:
    """The first encoding of the client's list that we know; UTF-16 is every client's default."""
    units = {unit.value: unit for unit in Unit}
    offered = encodings if isinstance(encodings, list) else []
    known = (units[name] for name in offered if isinstance(name, str) and name in units)
    return next(known, Unit.UTF16)
