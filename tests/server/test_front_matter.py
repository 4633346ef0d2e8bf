"""The front matter completes and explains itself like any settings file."""

from __future__ import annotations

import asyncio

import pytest

from dsh_lsp.core.prompt import parse_prompt
from dsh_lsp.core.uri import encode
from dsh_lsp.server.front_matter import Entries, about_key, complete_front_matter
from tests.support.fake_query import make_surface
from tests.support.scenes import make_scene, query_of


def entries_at(text: str) -> Entries | None:
    """What could stand at `|`."""
    before, _, after = text.partition("|")
    query = query_of(make_surface("session-1", title="Alpha"), make_surface("b: c", title="Beta"))
    return asyncio.run(complete_front_matter(make_scene(before + after, query), len(before)))


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("dsh:\n  |", ["session: ", "cwd: ", "mode: "]),
        ("dsh:\r\n  se|", ["session: "]),
        ("dsh:\n  mode: queue\n  |", ["session: ", "cwd: "]),
        ("dsh:\n  mode: |", ["queue", "steer"]),
        ("dsh:\n  mode: st|", ["steer"]),
        ("dsh:\n  cwd: |", ["/w"]),
        ("dsh:\n  session: |", ["new", "session-1", encode("b: c")]),
        ("dsh:\n  session: Alp|", ["session-1"]),
        ("dsh:\n  other: |", []),
    ],
)
def test_what_could_stand_here(inside: str, expected: list[str]) -> None:
    found = entries_at(f"---\n{inside}\n---\nbody")
    assert found is not None
    assert [entry.text for entry in found.entries] == expected


def test_accepting_replaces_the_whole_word() -> None:
    text = "---\ndsh:\n  mode: st|upid # why\n---\n"
    found = entries_at(text)
    assert found is not None
    plain = text.replace("|", "")
    assert found.insert.of(plain) == "st"
    assert found.replace.of(plain) == "stupid"


@pytest.mark.parametrize(
    "folder",
    ["/w", "/my work", "/a #1", "/a: b", "/it's", '/"q"\\', "/{x}", "/日本", "/\U0001f30a"],
)
def test_the_workspace_folder_is_read_back(folder: str) -> None:
    text = "---\ndsh:\n  session: new\n  cwd: "
    scene = make_scene(f"{text}\n---\n", folders=(folder,))
    found = asyncio.run(complete_front_matter(scene, len(text)))
    assert found is not None
    (entry,) = found.entries
    assert entry.label == folder
    written = parse_prompt(f"{text}{entry.text}\n---\n")
    assert written.problems == ()
    assert written.front_matter is not None
    assert written.front_matter.cwd == folder


@pytest.mark.parametrize(
    "text",
    ["---\nother:\n  |\n---\n", "---\ndsh:\n  mode: queue\n---\n  |", "|", "---\nd|sh:\n---\n"],
)
def test_nothing_elsewhere(text: str) -> None:
    assert entries_at(text) is None


def test_keys_explain_themselves() -> None:
    scene = make_scene("---\ndsh:\n  mode: queue\n  color: red\n---\n")
    text = scene.document.text
    told = about_key(scene, text.index("mode") + 1)
    assert told is not None
    assert "steer" in told[0]
    assert told[1].of(text) == "mode"
    assert about_key(scene, text.index("color")) is None
    assert about_key(scene, text.index("queue")) is None
