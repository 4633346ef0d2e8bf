"""Titles: the first words of the first prompt, or the name that a person gave."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.harness.embedded.title import (
    FALLBACK_BYTES,
    RENAME_BYTES,
    cut,
    fallback_title,
    given_title,
)
from dsh_lsp.harness.port import HarnessError
from tests.support.embedded import bench, mention

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Plan the release of version two today", "Plan the release of version"),
        ("  several\n\n lines\tand   spaces ", "several lines and spaces"),
        ("word" * 20, "word" * 10),
        ("éé" * 20, "é" * 20),
        ("中文" * 10, "中文" * 6 + "中"),
        ("😀" * 12, "😀" * 10),
        ("a" * 39 + "é", "a" * 39),
        ("x" * 37 + " 中文", "x" * 37),
        ("one\x00two", "one two"),
        ("\u202eright\u202c to left", "right to left"),
        ("", ""),
        (" \n\t\x01\u200f", ""),
    ],
)
def test_the_first_words_are_the_title(text, title):
    assert fallback_title(text) == title


@given(ANY_TEXT)
def test_a_title_is_short_visible_and_whole(text):
    title = fallback_title(text)
    assert len(title.encode("utf-8", "surrogatepass")) <= FALLBACK_BYTES
    assert len(title.split()) <= 5
    assert title == title.strip()
    assert "Cc" not in map(unicodedata.category, title)
    assert not set(title) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2069")
    assert len(given_title(text).encode("utf-8", "surrogatepass")) <= RENAME_BYTES


@given(ANY_TEXT, st.integers(0, 60))
def test_a_cut_ends_between_code_points_and_takes_what_fits(text, size):
    kept = cut(text, size)
    assert text.startswith(kept)
    longer = text[: len(kept) + 1]
    rest = text[len(kept) :]
    if rest and not rest[0].isspace():
        assert len(longer.encode("utf-8", "surrogatepass")) > size


@pytest.mark.anyio
async def test_labels_feed_the_title_and_snapshots_never_do(tmp_path):
    async with bench(tmp_path) as desk:
        source = await desk.session("The secret plan")
        target = await desk.session()
        await desk.ask(target, f"{mention(source, 'Old talk')} go on")
        surface = await desk.harness.read_surface(target)
        titles = [e["data"] for e in desk.events(target) if e["type"] == "session/title"]
    assert surface.title == "@Old talk go on"
    assert titles == [
        {"title": "@Old talk go on", "messageSeqs": [8], "source": {"kind": "fallback"}}
    ]


@pytest.mark.anyio
async def test_a_prompt_without_anything_visible_gives_no_title_and_the_next_one_does(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("\u200e\x07")
        assert (await desk.harness.read_surface(session)).title is None
        await desk.ask(session, "hello")
        assert (await desk.harness.read_surface(session)).title == "hello"


@pytest.mark.anyio
async def test_a_failed_first_prompt_gives_no_title(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session(f"see {mention('unknown')}")
        assert (await desk.harness.read_surface(session)).title is None


@pytest.mark.anyio
async def test_a_given_name_stays(tmp_path):
    async with bench(tmp_path) as desk:
        session = await desk.session("hello")
        assert await desk.harness.rename(session, " My\n name \u202e!") == "My name !"
        await desk.ask(session, "more")
        assert (await desk.harness.read_surface(session)).title == "My name !"
        blank = await desk.session()
        await desk.harness.rename(blank, "Named first")
        await desk.ask(blank, "hello")
        assert (await desk.harness.read_surface(blank)).title == "Named first"
        with pytest.raises(HarnessError, match="visible"):
            await desk.harness.rename(session, "\u200f \n")
