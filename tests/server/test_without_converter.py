"""Reading and writing without the converter gives what the converter gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from dsh_lsp.server.server import lenient_converter
from dsh_lsp.server.without_converter import completion_json, read_params

CONVERTER = lenient_converter()

texts = st.text(max_size=8)
numbers = st.integers(0, 2**31 - 1)
positions = st.builds(types.Position, numbers, numbers)
ranges = st.builds(types.Range, positions, positions)
edits = st.one_of(
    st.builds(types.TextEdit, ranges, texts),
    st.builds(types.InsertReplaceEdit, texts, ranges, ranges),
)
items = st.builds(
    types.CompletionItem,
    label=texts,
    label_details=st.none() | st.builds(types.CompletionItemLabelDetails, description=texts),
    kind=st.none() | st.sampled_from(types.CompletionItemKind),
    detail=st.none() | texts,
    sort_text=st.none() | texts,
    filter_text=st.none() | texts,
    text_edit=st.none() | edits,
    command=st.none() | st.builds(types.Command, texts, texts),
    data=st.none() | st.dictionaries(texts, texts, max_size=2),
)
lists = st.builds(types.CompletionList, st.booleans(), st.lists(items, max_size=3))

anything = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts, st.just([]))
places = st.fixed_dictionaries({"line": numbers | anything, "character": numbers | anything})
documents = st.fixed_dictionaries(
    {"uri": texts | anything},
    optional={
        "languageId": texts | anything,
        "version": st.integers(-(2**31), 2**31 - 1) | anything,
        "text": texts | anything,
        "more": anything,
    },
)
contexts = st.fixed_dictionaries(
    {"triggerKind": st.sampled_from([1, 2, 3, 4]) | anything},
    optional={"triggerCharacter": texts | anything},
)
params = st.one_of(
    anything,
    st.fixed_dictionaries({"textDocument": documents | anything}),
    st.fixed_dictionaries(
        {"textDocument": documents, "position": places | anything},
        optional={"context": contexts | anything, "workDoneToken": texts},
    ),
)


@given(lists)
def test_a_list_is_written_as_the_converter_writes_it(found: types.CompletionList) -> None:
    written = json.dumps(completion_json(found), sort_keys=True)
    assert written == json.dumps(CONVERTER.unstructure(found), sort_keys=True)


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        (types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentNotification),
        (types.TEXT_DOCUMENT_COMPLETION, types.CompletionRequest),
    ],
)
@given(given_params=params)
def test_what_is_read_is_what_the_converter_reads(
    method: str, kind: type[Any], given_params: Any
) -> None:
    read = read_params(method, given_params)
    if read is not None:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given_params}
        assert read == CONVERTER.structure(message, kind).params


def test_plain_messages_are_read() -> None:
    document = {"uri": "file:///a", "languageId": "markdown", "version": 1, "text": "@"}
    opened = read_params(types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": document})
    assert opened.text_document.text == "@"
    place = {"textDocument": {"uri": "file:///a"}, "position": {"line": 0, "character": 1}}
    asked = read_params(types.TEXT_DOCUMENT_COMPLETION, place)
    assert asked.position == types.Position(0, 1)
    typed = read_params(
        types.TEXT_DOCUMENT_COMPLETION,
        place | {"context": {"triggerKind": 2, "triggerCharacter": "@"}},
    )
    assert typed.context.trigger_character == "@"
    assert read_params(types.TEXT_DOCUMENT_HOVER, place) is None
