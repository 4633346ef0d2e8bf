from __future__ import annotations

import json

import pytest

from dsh_lsp.core.log.events import SessionHeader, parse_header, parse_line, sequence_number

HEADER = {
    "type": "session",
    "version": 4,
    "id": "s",
    "createdAt": 1_700_000_000_000,
    "cwd": "/w",
    "parentSession": "p",
    "isSeeded": True,
    "origin": "subagent",
    "delegationDepth": 1,
    "agentPreset": "standard",
}


def line(**changes: object) -> bytes:
    return json.dumps({**HEADER, **changes}).encode()


def test_every_field_of_a_header():
    assert parse_header(line(later="unknown")) == SessionHeader(
        id="s",
        created_at=1_700_000_000_000,
        format_version=4,
        cwd="/w",
        parent_session="p",
        is_seeded=True,
        origin="subagent",
        delegation_depth=1,
        agent_preset="standard",
    )


def test_the_least_header():
    least = b'{"delegationDepth":0,"createdAt":5.0,"id":"\\ud800","version":0,"type":"session"}'
    assert parse_header(least) == SessionHeader("\ud800", 5, 0)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"type": "other"}, "not a session header"),
        ({"id": None}, "no `id`"),
        ({"id": 5}, "`id`"),
        ({"createdAt": -1}, "`createdAt`"),
        ({"createdAt": True}, "`createdAt`"),
        ({"createdAt": 2**53}, "`createdAt`"),
        ({"version": "4"}, "`version`"),
        ({"version": 1.5}, "`version`"),
        ({"delegationDepth": None}, "`delegationDepth`"),
        ({"cwd": 3}, "`cwd`"),
        ({"isSeeded": "yes"}, "`isSeeded`"),
        ({"seedLength": -1}, "`seedLength`"),
    ],
)
def test_a_wrong_field_is_named(changes, fault):
    with pytest.raises(ValueError, match=fault):
        parse_header(line(**changes))


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"null", b'"x"', b"\xef\xbb\xbf{}", b"{}{}", b"NaN"]
)
def test_lines_that_are_no_objects(text):
    with pytest.raises(ValueError, match=r".+"):
        parse_line(text)


def test_bytes_that_are_not_utf8_read_as_replacements():
    assert parse_line(b'{"a":"\xff\xe4\xbd"}') == {"a": "\ufffd\ufffd"}


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0),
        (2.0, 2),
        (-0.0, 0),
        (2**53 - 1, 2**53 - 1),
        (2**53, None),
        (1e300, None),
        (-1, None),
        (0.5, None),
        (True, None),
        ("0", None),
        (None, None),
        (float("nan"), None),
        (10**400, None),
    ],
)
def test_sequence_numbers(value, number):
    assert sequence_number(value) == number
