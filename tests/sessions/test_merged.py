"""Several sources of sessions as one: the first that knows a session answers."""

from __future__ import annotations

import anyio
import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions.merged import MergedQuery
from dsh_lsp.sessions.query import Listing, ListingFault, SessionTitle
from tests.support.fake_query import FakeQuery, make_entry, make_surface


class Broken(FakeQuery):
    """A source that cannot be reached."""

    async def list_sessions(self) -> Listing:
        raise ReadFailedError("the host does not answer", ReadFault.UNREADABLE)

    async def read_titles(self, session_ids):
        raise ReadFailedError("the host does not answer", ReadFault.UNREADABLE)


LIVE = FakeQuery(
    [make_entry("both", "/live", created_at=5), make_entry("live", created_at=3)],
    {"both": SessionTitle("Live title"), "live": SessionTitle(None)},
    {"both": make_surface("both", "from live"), "live": make_surface("live", "x")},
)
STORED = FakeQuery(
    [
        make_entry("newest", created_at=9),
        make_entry("both", "/stored", created_at=5),
        make_entry("a", created_at=3),
    ],
    {"both": SessionTitle("Old"), "newest": SessionTitle("N"), "live": SessionTitle("not asked")},
    {"both": make_surface("both", "from disk"), "newest": make_surface("newest", "y")},
)


def test_sessions_are_listed_once_in_order_and_live_ones_win():
    listing = anyio.run(MergedQuery(LIVE, STORED).list_sessions)
    assert [entry.header.id for entry in listing.sessions] == ["newest", "both", "a", "live"]
    assert listing.sessions[1].header.cwd == "/live"


def test_titles_come_from_the_first_that_answers():
    titles = anyio.run(MergedQuery(LIVE, STORED).read_titles, ["both", "newest", "live", "none"])
    assert titles == {
        "both": SessionTitle("Live title"),
        "newest": SessionTitle("N"),
        "live": SessionTitle(None),
    }
    assert STORED.title_batches[-1] == ("newest", "none")


def test_a_live_surface_wins_and_a_stored_one_is_found():
    query = MergedQuery(LIVE, STORED)
    assert anyio.run(query.read_surface, "both") is LIVE.surfaces["both"]
    assert anyio.run(query.read_surface, "newest") is STORED.surfaces["newest"]


def test_a_fault_of_the_first_that_knows_a_session_is_told():
    corrupt = ReadFailedError("damaged", ReadFault.CORRUPT)
    query = MergedQuery(FakeQuery(surfaces={"both": corrupt}), STORED)
    with pytest.raises(ReadFailedError) as caught:
        anyio.run(query.read_surface, "both")
    assert caught.value.reason is ReadFault.CORRUPT


@pytest.mark.parametrize("sources", [(), (LIVE,), (LIVE, STORED)])
def test_what_nobody_knows_is_not_found(sources):
    with pytest.raises(ReadFailedError) as caught:
        anyio.run(MergedQuery(*sources).read_surface, "none")
    assert caught.value.reason is ReadFault.NOT_FOUND


def test_a_broken_source_costs_only_its_own_sessions():
    query = MergedQuery(Broken(), STORED)
    listing = anyio.run(query.list_sessions)
    assert len(listing.sessions) == 3
    assert listing.faults == (
        ListingFault("Broken", ReadFault.UNREADABLE, "the host does not answer"),
    )
    assert anyio.run(query.read_titles, ["newest"]) == {"newest": SessionTitle("N")}
