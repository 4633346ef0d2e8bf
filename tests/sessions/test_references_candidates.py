"""The candidates of the reference service: titles, caching and broken backends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio
import pytest

from dsh_lsp.core.failures import (
    InvalidConfigError,
    InvalidReferenceError,
    ReadFailedError,
    ReadFault,
)
from dsh_lsp.core.prepare import Limits
from dsh_lsp.sessions.catalogue import Catalogue
from dsh_lsp.sessions.query import Listing, SessionTitle
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


def test_the_catalogue_builds_a_candidate_again_only_after_a_change():
    entries = [make_entry("a"), make_entry("b"), make_entry("c")]
    titles = {"a": SessionTitle("A"), "b": SessionTitle("B")}
    catalogue = Catalogue()
    first = catalogue.candidates(entries, titles)
    second = catalogue.candidates(
        [entries[2], entries[0], make_entry("b", "/new")], {"a": titles["a"]}
    )
    assert second[0] is first[2]
    assert second[1] is first[0]
    assert (second[2].cwd, second[2].title) == ("/new", None)
    assert [each.title for each in catalogue.candidates(entries, titles)] == ["A", "B", None]
