"""The candidates of the reference service: titles, caching and broken backends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unittest import mock

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.candidates import rank
from dsh_lsp.core.failures import (
    InvalidConfigError,
    InvalidReferenceError,
    ReadFailedError,
    ReadFault,
)
from dsh_lsp.core.limits import Limits
from dsh_lsp.sessions import haystack
from dsh_lsp.sessions.catalogue import Catalogue, candidate_of
from dsh_lsp.sessions.grouped import Grouped, Wanted
from dsh_lsp.sessions.query import KnownTitles, Listing, SessionTitle
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from tests.support.fake_query import FakeQuery, make_entry

HERE = Target("me", "/w")


def find(query, text="", limit=None, target=HERE):
    resolver = SessionReferenceResolver(query, limits=Limits())
    return anyio.run(resolver.list_candidates, target, text, limit)


def test_an_empty_query_reads_titles_of_the_kept_rows_only():
    query = FakeQuery(
        [make_entry("me", "/w"), make_entry("far", "/x"), make_entry("a"), make_entry("b", "/w")],
        {"b": SessionTitle("Bee"), "far": SessionTitle("Far")},
    )
    found = find(query, limit=2)
    assert [(each.session_id, each.display_title) for each in found] == [("b", "Bee"), ("a", "a")]
    assert query.title_batches == [("b", "a")]


def test_a_query_reads_all_titles_in_one_batch():
    query = FakeQuery(
        [make_entry("me"), make_entry("one"), make_entry("two")],
        {"me": SessionTitle("plan"), "two": SessionTitle("The Plan")},
    )
    assert [each.session_id for each in find(query, "pLAN")] == ["two"]
    assert query.title_batches == [("one", "two")]


def test_no_titles_are_asked_for_when_nothing_is_listed():
    query = FakeQuery([make_entry("me")])
    assert find(query) == ()
    assert find(query, "x") == ()
    assert query.title_batches == []


def test_a_subagent_goes_by_its_label_and_is_found_by_its_title_too():
    query = FakeQuery([make_entry("s")], {"s": SessionTitle(title="Long title", label="tester")})
    for text in ("test", "TITLE", "s"):
        (found,) = find(query, text)
        assert found.display_title == "tester"


def test_without_a_target_the_workspace_folder_ranks_and_nothing_is_left_out():
    query = FakeQuery([make_entry("a", "/x"), make_entry("b", "/w")])
    assert [each.session_id for each in find(query, target=Target(None, "/w"))] == ["b", "a"]


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "3", 2**53])
def test_a_bad_limit_is_refused_before_anything_is_read(limit):
    query = FakeQuery([make_entry("a")])
    with pytest.raises(InvalidReferenceError):
        find(query, limit=limit)
    with pytest.raises(InvalidConfigError):
        SessionReferenceResolver(query, limits=Limits(), candidate_limit=limit)


class BrokenTitles(FakeQuery):
    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        raise OSError("the disk is gone")


def test_ids_stand_for_titles_that_cannot_be_read():
    query = BrokenTitles([make_entry("abc")])
    assert [each.display_title for each in find(query)] == ["abc"]
    assert [each.display_title for each in find(query, "b")] == ["abc"]


class BrokenListing(FakeQuery):
    async def list_sessions(self) -> Listing:
        raise OSError("the\ndisk is gone " + "x" * 1000)


def test_a_listing_that_breaks_down_becomes_a_read_failure():
    with pytest.raises(ReadFailedError) as caught:
        find(BrokenListing())
    assert caught.value.reason is ReadFault.UNREADABLE
    assert "the disk is gone" in caught.value.message
    assert len(caught.value.message) < 300
    assert isinstance(caught.value.__cause__, OSError)


ALL = Wanted("", limit=100, target_id=None, cwd=None)


def test_the_catalogue_builds_a_candidate_again_only_after_a_change():
    entries = (make_entry("a"), make_entry("b"), make_entry("c"))
    titles = {"a": SessionTitle("A"), "b": SessionTitle("B")}
    catalogue = Catalogue()
    first = catalogue.make(Grouped(entries), titles).find(ALL)
    changed = Grouped((entries[2], entries[0], make_entry("b", "/new")))
    second = catalogue.make(changed, {"a": titles["a"]}).find(ALL)
    assert second[0] is first[2]
    assert second[1] is first[0]
    assert (second[2].cwd, second[2].title) == ("/new", None)
    again = catalogue.make(Grouped(entries), titles).find(ALL)
    assert [each.title for each in again] == ["A", "B", None]


def test_the_same_listing_and_titles_are_made_into_candidates_once():
    sessions = Grouped((make_entry("a"),))
    titles: dict[str, SessionTitle] = {}
    catalogue = Catalogue()
    made = catalogue.make(sessions, titles)
    assert catalogue.make(sessions, titles) is made
    assert catalogue.make(sessions, {}) is not made
    assert catalogue.make(Grouped(sessions.entries), titles) is not made


def test_a_listing_is_grouped_once(monkeypatch):
    query = FakeQuery([make_entry("a"), make_entry("b")])
    resolver = SessionReferenceResolver(query, limits=Limits())
    made: list[int] = []

    def counted(entries):
        made.append(len(entries))
        return Grouped(entries)

    monkeypatch.setattr("dsh_lsp.sessions.references.Grouped", counted)
    for text in ("", "a", "b"):
        anyio.run(resolver.list_candidates, HERE, text)
    assert made == [2]


TEXTS = st.text("ab\0\n/\u00e9\U0001f600\ud83d\ude00\u0130", max_size=4)
ENTRIES = st.lists(
    st.builds(make_entry, TEXTS, st.sampled_from([None, "/w", "/x", "/y"])),
    max_size=12,
    unique_by=lambda entry: entry.header.id,
)


@given(
    ENTRIES,
    st.dictionaries(TEXTS, st.builds(SessionTitle, st.none() | TEXTS, st.none() | TEXTS)),
    st.builds(
        Wanted,
        TEXTS,
        st.integers(1, 5),
        st.none() | TEXTS,
        st.sampled_from([None, "/w", "/x", "/none"]),
    ),
    st.sampled_from([0, 1, 255]),
)
def test_the_catalogue_finds_what_ranking_one_by_one_finds(entries, more, wanted, border):
    titles = {entry.header.id: SessionTitle("b" + entry.header.id) for entry in entries[::2]} | more
    candidates = [candidate_of(entry, titles.get(entry.header.id)) for entry in entries]
    arguments = {"limit": wanted.limit, "target_id": wanted.target_id, "cwd": wanted.cwd}
    catalogue = Catalogue()
    sessions = Grouped(tuple(entries))
    with mock.patch.object(haystack, "_BORDER", border):
        for some in (entries[:4], entries[2:], entries):  # blocks of others are used again
            catalogue.make(Grouped(tuple(some)), {}).find(wanted)
        found = catalogue.make(sessions, titles).find(wanted)
    assert found == rank(candidates, query=wanted.query, **arguments)
    near = sessions.nearest(wanted)
    nearest = rank(candidates, query="", **arguments)
    assert [entry.header.id for entry in near] == [each.session_id for each in nearest]


class Half(FakeQuery):
    """Knows some titles already, and is never asked to read."""

    async def known_titles(self, session_ids: Sequence[str]) -> KnownTitles:
        known = {each: self.titles[each] for each in session_ids if each in self.titles}
        return KnownTitles(known, complete=len(known) == len(session_ids))


class Slow(Half):
    async def read_titles(self, session_ids: Sequence[str]) -> Mapping[str, SessionTitle]:
        await anyio.sleep(60)
        raise AssertionError("nobody waits for this")


def at_hand(query, text=""):
    resolver = SessionReferenceResolver(query, limits=Limits())
    return anyio.run(resolver.candidates_at_hand, HERE, text)


def test_a_query_takes_the_titles_that_are_known_and_says_that_others_are_not():
    query = Slow([make_entry("a"), make_entry("b")], {"b": SessionTitle("Bee")})
    found = at_hand(query, "ee")
    assert [each.display_title for each in found.candidates] == ["Bee"]
    assert found.incomplete
    query.titles["a"] = SessionTitle("Aye")
    assert not at_hand(query, "ee").incomplete
    assert query.title_batches == []


def test_new_titles_count_soon_and_keep_nobody_waiting():
    query = Half([make_entry("a"), make_entry("b"), make_entry("c")], {"b": SessionTitle("Bee")})

    async def type_slowly() -> None:
        resolver = SessionReferenceResolver(query, limits=Limits())
        await resolver.candidates_at_hand(HERE, "ee")
        query.titles["a"] = SessionTitle("Eel")
        with anyio.fail_after(10):
            while len((found := await resolver.candidates_at_hand(HERE, "ee")).candidates) < 2:
                assert found.incomplete
                await anyio.sleep(0.001)
        query.titles["c"] = SessionTitle("Fee")
        with anyio.fail_after(10):
            while (found := await resolver.candidates_at_hand(HERE, "ee")).incomplete:  # noqa: ASYNC110
                await anyio.sleep(0.001)
        assert len(found.candidates) == 3

    anyio.run(type_slowly)


def test_an_empty_query_waits_a_short_time_for_the_titles_of_its_rows(monkeypatch):
    rows = [make_entry("a"), make_entry("b")]
    found = at_hand(Half(rows, {"a": SessionTitle("Aye"), "b": SessionTitle("Bee")}))
    assert [each.display_title for each in found.candidates] == ["Aye", "Bee"]
    assert not found.incomplete
    monkeypatch.setattr("dsh_lsp.sessions.references.PATIENCE", 0.01)
    found = at_hand(Slow(rows, {"b": SessionTitle("Bee")}))
    assert [each.display_title for each in found.candidates] == ["a", "Bee"]
    assert found.incomplete


def test_a_source_that_knows_nothing_by_heart_is_read():
    query = FakeQuery([make_entry("a")], {"a": SessionTitle("Aye")})
    found = at_hand(query, "aye")
    assert len(found.candidates) == 1
    assert not found.incomplete
