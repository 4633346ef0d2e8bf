"""What a client can do is read from any shape; what the server offers is valid LSP."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from dsh_lsp.core.text import Unit
from dsh_lsp.server.capabilities import COMMANDS, initialize_result
from dsh_lsp.server.client import TRIGGER_SUGGEST, Client, read_client
from dsh_lsp.server.commands.table import COMMANDS as IMPLEMENTED


@pytest.mark.parametrize(
    ("offered", "unit"),
    [
        (None, Unit.UTF16),
        ([], Unit.UTF16),
        (["utf-32", "utf-8"], Unit.UTF32),
        (["utf-7", "utf-8", "utf-16"], Unit.UTF8),
        (["utf-7"], Unit.UTF16),
        ([8, None, {}], Unit.UTF16),
        ("utf-8", Unit.UTF16),
    ],
)
def test_the_first_encoding_that_both_know(offered: Any, unit: Unit) -> None:
    params = {"capabilities": {"general": {"positionEncodings": offered}}}
    assert read_client(params).unit is unit


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"capabilities": None},
        {"capabilities": []},
        {"capabilities": {"textDocument": 3}},
        {"capabilities": {"experimental": {"dsh": {"outbox": 3}}}},
        {"capabilities": {"textDocument": {"hover": {"contentFormat": "markdown"}}}},
    ],
)
def test_capabilities_of_any_shape_are_read(params: Any) -> None:
    assert read_client(params) == Client()


def test_capabilities_are_found() -> None:
    completion_item = {
        "insertReplaceSupport": True,
        "labelDetailsSupport": True,
        "documentationFormat": ["markdown", "plaintext"],
    }
    capabilities = {
        "general": {"positionEncodings": ["utf-8"]},
        "textDocument": {
            "completion": {"completionItem": completion_item},
            "hover": {"contentFormat": ["markdown"]},
            "diagnostic": {},
            "publishDiagnostics": {"relatedInformation": True},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
        },
        "workspace": {
            "configuration": True,
            "didChangeConfiguration": {"dynamicRegistration": True},
            "diagnostics": {"refreshSupport": True},
            "workspaceEdit": {"documentChanges": True},
        },
        "window": {"workDoneProgress": True},
        "experimental": {
            "commands": {"commands": [TRIGGER_SUGGEST]},
            "dsh": {"outbox": ":Out\nbox"},
        },
    }
    flags = {name: True for name in Client.__slots__ if name not in ("unit", "outbox")}
    found = read_client({"capabilities": capabilities})
    assert found == Client(Unit.UTF8, outbox=":Out box", **flags)


@pytest.mark.parametrize("pulls", [False, True])
def test_the_offer_is_valid_lsp(pulls: bool) -> None:
    offered = initialize_result(Client(pulls_diagnostics=pulls))
    read = get_converter().structure(offered, types.InitializeResult)
    assert read.capabilities.completion_provider is not None
    assert "@" in (read.capabilities.completion_provider.trigger_characters or ())
    assert (read.capabilities.diagnostic_provider is not None) == pulls
    assert get_converter().unstructure(read) == offered


def test_every_offered_command_exists() -> None:
    assert sorted(IMPLEMENTED) == sorted(COMMANDS)
