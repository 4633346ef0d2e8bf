"""Rows for the token under the cursor; no source ever empties or delays the other."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from dsh_lsp.core.mentions import scan
from dsh_lsp.core.text import Unit
from dsh_lsp.core.uri import encode
from dsh_lsp.server.client import TRIGGER_SUGGEST, Client
from dsh_lsp.server.completion import Rows, complete
from dsh_lsp.server.completion_items import completion_list
from dsh_lsp.sessions import references
from dsh_lsp.sessions.query import KnownTitles, SessionTitle
from tests.support.fake_query import FakeQuery, make_entry, make_surface
from tests.support.scenes import (
    FakeFiles,
    make_scene,
    make_state,
    open_document,
    query_of,
    two_sessions,
)

FILES = FakeFiles("docs/", "my notes/", "alpha.py", "beta gamma.md", 'quo"te', "src/beta.py")


class SlowTitles(FakeQuery):
    """Lists at once, and never gets to the titles."""

    async def read_titles(self, session_ids):
        await anyio.sleep(60)
        return {}


class KnowingQuery(FakeQuery):
    """Knows every title that can be read."""

    complete = True

    async def known_titles(self, session_ids):
        known = {each: self.titles[each] for each in session_ids if each in self.titles}
        return KnownTitles(known, self.complete)


class WarmingQuery(KnowingQuery):
    complete = False


class BrokenQuery(FakeQuery):
    async def read_titles(self, session_ids):
        raise OSError("the disk is gone")

    async def list_sessions(self):
        raise OSError("the disk is gone")


def rows_at(text: str, query: FakeQuery | None = None, **more) -> Rows | None:
    """The rows for a cursor at `|`."""
    before, _, after = text.partition("|")
    more.setdefault("files", FILES)
    scene = make_scene(before + after, query, **more)
    return asyncio.run(complete(scene, len(before)))


def written(rows: Rows | None) -> list[str]:
    assert rows is not None
    return [row.text for row in rows.files] + [row.text for row in rows.sessions]


ALPHA, BETA = f"@[Alpha]({encode('a')})", f"@[Beta]({encode('b')})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "@|",
            ["@docs/", '@"my notes/', "@alpha.py", '@"beta gamma.md"', "@src/beta.py", ALPHA, BETA],
        ),
        ("see @beta|", ['@"beta gamma.md"', "@src/beta.py", BETA]),
        ('@"beta|', ['@"beta gamma.md"', '@"src/beta.py"']),
        ('@"my |', ['@"my notes/']),
        ("@[|", [ALPHA, BETA]),
        ("@[Al|", [ALPHA]),
        ("参考@ALPHA|", [ALPHA]),
        ("@nothing|", []),
    ],
)
def test_what_accepting_a_row_writes(text: str, expected: list[str]) -> None:
    assert written(rows_at(text)) == expected


@pytest.mark.parametrize("text", ["|", "a@b|", "plain| @x", "x @a |", f"{ALPHA[:-3]}|{ALPHA[-3:]}"])
def test_nothing_opens_elsewhere(text: str) -> None:
    assert rows_at(text) is None


def test_the_target_is_never_its_own_candidate() -> None:
    rows = rows_at("@[|", settings={"target": {"session": "a"}})
    assert written(rows) == [BETA]


def test_paths_begin_at_the_targets_directory() -> None:
    files = FakeFiles("x")
    query = query_of(make_surface("a", cwd="/elsewhere"))
    rows = rows_at("@|", query, files=files, settings={"target": {"session": "a"}})
    assert rows is not None
    assert rows.cwd == "/elsewhere"
    assert files.asked == [("/elsewhere", "")]


def test_without_a_folder_there_are_only_sessions() -> None:
    files = FakeFiles("x")
    before = make_scene("@", files=files, folders=())
    scene = before.__class__(
        before.document, before.target, None, before.settings, before.services, before.memory
    )
    assert written(asyncio.run(complete(scene, 1))) == [ALPHA, BETA]
    assert files.asked == []


def test_switched_off_files_are_not_looked_for() -> None:
    files = FakeFiles("x")
    rows = rows_at("@|", files=files, settings={"files": {"enabled": False}})
    assert written(rows) == [ALPHA, BETA]
    assert files.asked == []


def test_the_candidate_limit_cuts() -> None:
    rows = rows_at("@[|", settings={"references": {"candidateLimit": 1}})
    assert written(rows) == [ALPHA]


def test_failing_files_leave_the_sessions() -> None:
    files = FakeFiles("x", fault=OSError("gone"))
    assert written(rows_at("@|", files=files)) == [ALPHA, BETA]


def test_failing_sessions_leave_the_files() -> None:
    rows = rows_at("@alpha|", BrokenQuery(), files=FakeFiles("alpha.py"))
    assert written(rows) == ["@alpha.py"]


def test_late_files_leave_the_sessions_and_may_still_come() -> None:
    rows = rows_at("@|", files=FakeFiles("x", delay=60))
    assert written(rows) == [ALPHA, BETA]
    assert rows is not None
    assert rows.incomplete


def test_late_sessions_leave_the_files_and_may_still_come() -> None:
    query = two_sessions()
    slow = SlowTitles(query.sessions, query.titles, query.surfaces)
    rows = rows_at("@alpha|", slow, files=FakeFiles("alpha.py"))
    assert written(rows) == ["@alpha.py"]
    assert rows is not None
    assert rows.incomplete


def test_slow_files_are_waited_for_when_there_is_nothing_else() -> None:
    rows = rows_at('@"alpha|', files=FakeFiles("alpha.py", delay=0.4))
    assert written(rows) == ['@"alpha.py"']


def test_an_unlistable_store_leaves_the_files_of_the_workspace() -> None:
    settings = {"target": {"session": "a"}}
    rows = rows_at("@alpha|", BrokenQuery(), files=FakeFiles("alpha.py"), settings=settings)
    assert written(rows) == ["@alpha.py"]
    assert rows is not None
    assert rows.cwd == "/w"


def test_a_list_is_complete_only_when_nothing_can_come() -> None:
    none = rows_at("@nothing|")
    some = rows_at("@alpha|")
    assert none is not None
    assert not none.incomplete
    assert some is not None
    assert some.incomplete


def test_a_title_is_written_as_it_is_displayed() -> None:
    query = query_of(make_surface("a", title="a]b\nc\u202ed\x07"))
    (text,) = written(rows_at("@[|", query))
    (mention,) = scan(text)
    assert mention.session_id == "a"
    assert mention.label == "a]b c\\u202ed\\u0007"


FULL = Client(Unit.UTF16, insert_replace=True, label_details=True, trigger_suggest=True)


def items_at(text: str, client: Client, **more):
    before, _, after = text.partition("|")
    scene = make_scene(before + after, files=FILES, **more)
    rows = asyncio.run(complete(scene, len(before)))
    assert rows is not None
    return completion_list(scene.document, rows, client, now=3_600_000).items


def test_items_replace_exactly_the_token() -> None:
    for item in items_at("😀 @[Al|pha x", FULL):
        assert (item.text_edit.insert.start.character, item.text_edit.insert.end.character) == (
            3,
            7,
        )
        assert item.text_edit.replace.start.character == 3
        assert item.text_edit.replace.end.character > 7
        assert item.filter_text == "@[Al"


@pytest.mark.parametrize(("unit", "start"), [(Unit.UTF8, 5), (Unit.UTF16, 3), (Unit.UTF32, 2)])
def test_ranges_count_in_the_clients_unit(unit: Unit, start: int) -> None:
    for item in items_at("😀 @al|", Client(unit)):
        assert item.text_edit.range.start.character == start
        assert item.text_edit.range.end.character == start + 3


def test_files_come_before_sessions_in_their_order() -> None:
    items = items_at("@|", FULL)
    assert [item.label for item in sorted(items, key=lambda item: item.sort_text)] == [
        "docs/", "my notes/", "alpha.py", "beta gamma.md", "src/beta.py", "Alpha", "Beta",
    ]  # fmt: skip


def test_only_a_client_that_knows_the_command_gets_it() -> None:
    with_command = [item.label for item in items_at("@|", FULL) if item.command]
    assert with_command == ["docs/", "my notes/"]
    assert items_at("@docs|", FULL)[0].command.command == TRIGGER_SUGGEST
    assert not any(item.command for item in items_at("@|", Client()))


def test_details_tell_sessions_apart() -> None:
    query = query_of(
        make_surface("a", title="Same", cwd="/w"),
        make_surface("b", title="Same", cwd="/w/sub/dir"),
        make_surface("c", title="Same", cwd="/far"),
        make_surface("d", title="Same", cwd=None),
    )
    items = items_at("@[|", FULL, query=query)
    assert [item.label_details.description for item in items] == [
        "59 min ago", "59 min ago", "sub/dir · 59 min ago", "/far · 59 min ago",
    ]  # fmt: skip
    plain = items_at("@[|", Client(), query=query)
    assert [item.detail for item in plain][2] == "sub/dir · 59 min ago"


def test_an_endless_title_makes_no_endless_row() -> None:
    query = query_of(*(make_surface(f"s{at}", title="t" * 1_000_000) for at in range(50)))
    rows = rows_at("@|", query)
    assert rows is not None
    assert len(rows.sessions) == 50
    assert max(map(len, written(rows))) < 1_100


@pytest.mark.parametrize(("kind", "marked"), [(KnowingQuery, ["broken"]), (WarmingQuery, [])])
def test_a_log_that_cannot_be_read_is_marked_once_that_is_known(kind, marked) -> None:
    entries = [make_entry(each, "/w") for each in ("titled", "untitled", "broken")]
    query = kind(entries, {"titled": SessionTitle("T"), "untitled": SessionTitle(None)})
    state = make_state(query)
    document = open_document(state, "@[")
    rows = asyncio.run(complete(state.scene(document), 2))
    assert rows is not None
    items = completion_list(document, rows, Client(label_details=True), 1).items
    details = {item.label: item.label_details.description for item in items if item.label_details}
    assert [label for label, told in details.items() if "unreadable" in (told or "")] == marked


class Unread(WarmingQuery):
    """Knows some titles, and does not get to the others."""

    async def read_titles(self, session_ids):
        await anyio.sleep(60)
        return {}


@pytest.mark.parametrize(("text", "count"), [("@[Al|", 1), ("@[nothing|", 0), ('@"nothing|', 0)])
def test_a_list_is_asked_for_again_while_titles_are_unread(
    monkeypatch: pytest.MonkeyPatch, text: str, count: int
) -> None:
    monkeypatch.setattr(references, "FIRST_PATIENCE", 0.02)
    known = two_sessions()
    rows = rows_at(text, Unread(known.sessions, known.titles))
    assert rows is not None
    assert len(rows.sessions) == count
    assert rows.incomplete == ('"' not in text)  # sessions have nothing to do with a quote
    read = rows_at(text, KnowingQuery(known.sessions, known.titles))
    assert read is not None
    assert read.incomplete == (count > 0)
