"""Which files are logs, which of a folder counts, and where a session lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_lsp.sessions.layout import (
    Compression,
    LogName,
    encode_segment,
    log_names,
    parse_log_name,
    project_key,
    session_folder,
)


@pytest.mark.parametrize(
    ("name", "generation", "compression"),
    [
        ("session.jsonl", 0, Compression.NONE),
        ("session.jsonl.zstd", 0, Compression.ZSTD),
        ("session.v1.jsonl", 1, Compression.NONE),
        ("session.v3.jsonl.zstd", 3, Compression.ZSTD),
        ("session.v12.jsonl.zstd", 12, Compression.ZSTD),
    ],
)
def test_canonical_names_round_trip(name, generation, compression):
    found = parse_log_name(name)
    assert found == LogName(generation, compression)
    assert str(found) == name


@pytest.mark.parametrize(
    "name",
    [
        *(
            "session.v0.jsonl",
            "session.v03.jsonl.zstd",
            "session.v3.jsonl.zstd.tmp",
            "session.lock",
        ),
        *("session.migration.1.tmp", "session.jsonl.zst", "Session.jsonl", "session.jsonl\n", ""),
        *("session.v-1.jsonl", "session.v٣.jsonl", "xsession.jsonl", "session.jsonl.zstd.bak"),
    ],
)
def test_leftovers_are_no_logs(name):
    assert parse_log_name(name) is None


def test_the_highest_generation_counts_and_then_the_compressed_log():
    names = [
        "session.v3.jsonl.zstd",
        "session.v10.jsonl",
        "session.jsonl",
        "session.v10.jsonl.zstd",
    ]
    assert [str(name) for name in log_names([*names, "session.lock", "x.tmp"])] == [
        "session.v10.jsonl.zstd",
        "session.v10.jsonl",
        "session.v3.jsonl.zstd",
        "session.jsonl",
    ]


def test_folders_are_safe_names_whatever_the_id():
    for session_id in ("..", "a/b", "\0", "\ud800", "😀", "con:", "~"):
        assert set(encode_segment(session_id)) <= set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~"
        )
        assert encode_segment(session_id) not in (".", "..")


def test_surrogates_are_escaped_unit_by_unit():
    assert encode_segment("😀") == encode_segment("\ud83d\ude00") == "~D83D~DE00"


def test_a_session_lies_in_its_project():
    root = Path("/R")
    assert session_folder(root, "a/b", "/home/dev x") == root / "--home-dev~0020x--" / "a~002Fb"
    assert session_folder(root, "a", None) == root / "_no-cwd" / "a"
    assert len(project_key("/" + "x" * 400)) == 255
