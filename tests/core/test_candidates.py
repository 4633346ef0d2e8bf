"""Matching and ranking: the golden vectors hold the values, these the corners around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.candidates import Candidate, check_limit, rank
from dsh_lsp.core.failures import InvalidReferenceError

# Few characters, so that random queries hit: cases that lower to two, final sigmas, halves.
letters = st.sampled_from("aAbB/ ßẞΣσςİiıéÉ字😀𐐀𐐨\ud83d\ude00")
texts = st.text(letters, max_size=5)
candidates = st.builds(
    Candidate,
    session_id=texts,
    created_at=st.just(1),
    cwd=st.none() | texts,
    title=st.none() | texts,
    label=st.none() | texts,
)


def ids(found):
    return [each.session_id for each in found]


def test_ranks_by_cwd_and_keeps_the_listing_order_within():
    sessions = [
        Candidate(name, 1, cwd)
        for name, cwd in [
            ("x1", "/x"),
            ("n1", None),
            ("w1", "/w"),
            ("x2", "/W"),
            ("n2", None),
            ("w2", "/w"),
            ("me", "/w"),
        ]
    ]
    found = rank(sessions, query="", limit=50, target_id="me", cwd="/w")
    assert ids(found) == ["w1", "w2", "n1", "n2", "x1", "x2"]
    for limit in range(1, 8):
        cut = rank(sessions, query="", limit=limit, target_id="me", cwd="/w")
        assert cut == found[:limit]
    assert ids(rank(sessions, query="", limit=2, target_id=None, cwd=None)) == ["n1", "n2"]


@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("ID", True),
        ("halves 😀", True),
        ("/W", True),
        ("tit", True),
        ("LAB", True),
        ("d/w", False),  # a query never spans two fields
        ("😀", True),
        ("\ud83d", True),
        ("\ude00\ud83d", False),
        ("\ud83d\ude00", True),
        ("x\ud83d", False),
        ("DZ", False),
    ],
)
def test_a_query_looks_into_id_cwd_title_and_label(query, hit):
    session = Candidate("id", 1, "/w", "Title 😀 halves \ud83d\ude00", "Label")
    assert bool(rank([session], query=query, limit=1, target_id=None, cwd=None)) == hit


@pytest.mark.parametrize(
    ("candidate", "title"),
    [
        (Candidate("id", 1), "id"),
        (Candidate("id", 1, title="Title"), "Title"),
        (Candidate("id", 1, title="Title", label="Agent"), "Agent"),
        (Candidate("id", 1, title=""), ""),
    ],
)
def test_a_label_goes_before_a_title_and_a_title_before_an_id(candidate, title):
    assert candidate.display_title == title


@pytest.mark.parametrize("limit", [0, -1, 1.5, float("nan"), True, None, "1", 2**53, [1]])
def test_only_positive_safe_integers_are_limits(limit):
    with pytest.raises(InvalidReferenceError):
        check_limit(limit)


def test_the_largest_limit_is_allowed():
    assert check_limit(2**53 - 1) == 2**53 - 1
    session = Candidate("a", 1)
    assert rank([session], query="", limit=2**53 - 1, target_id=None, cwd=None) == (session,)


def units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]


def lower(text: str) -> str:
    data = text.encode("utf-16-le", "surrogatepass")
    return data.decode("utf-16-le", "surrogatepass").lower()


def holds(text: str | None, needle: str) -> bool:
    if text is None:
        return False
    there, sought = units(lower(text)), units(lower(needle))
    return any(there[at : at + len(sought)] == sought for at in range(len(there) + 1))


@given(st.lists(candidates, max_size=6), texts, st.none() | texts, texts)
def test_ranks_like_a_slow_model_over_code_units(sessions, query, cwd, target_id):
    closeness = {True: 0, False: 2}
    expected = sorted(
        (
            each
            for each in sessions
            if each.session_id != target_id
            and (
                not query
                or any(
                    holds(field, query)
                    for field in (each.session_id, each.cwd, each.title, each.label)
                )
            )
        ),
        key=lambda each: 1 if each.cwd is None else closeness[each.cwd == cwd],
    )
    found = rank(sessions, query=query, limit=50, target_id=target_id, cwd=cwd)
    assert list(found) == expected
