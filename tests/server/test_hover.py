"""Hovers: what a prompt would carry, bounded, with nothing live in it."""

from __future__ import annotations

import asyncio
import re

import pytest

from dsh_lsp.core.budget import Budget
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.uri import encode
from dsh_lsp.server.checks import gather, problems_of
from dsh_lsp.server.hover import MARKDOWN, PLAIN, Hover, Style, hover
from dsh_lsp.server.scene import Scene
from tests.support.fake_query import FakeQuery, make_surface
from tests.support.scenes import FakeFiles, make_scene, query_of

STYLES = pytest.mark.parametrize("style", [MARKDOWN, PLAIN], ids=["markdown", "plain"])

BUDGET = Budget(65_536, "the default")


def hover_on(
    text: str,
    query: FakeQuery | None = None,
    *,
    style: Style = MARKDOWN,
    budget: Budget = BUDGET,
    files: FakeFiles | None = None,
) -> Hover | None:
    """The hover at `|`."""
    before, _, after = text.partition("|")
    scene = make_scene(before + after, query, files=files)
    return asyncio.run(_hover(scene, len(before), budget, style))


async def _hover(scene: Scene, offset: int, budget: Budget, style: Style) -> Hover | None:
    prompt = scene.document.prompt
    facts = await gather(prompt, scene, Limits(3, budget.size))
    return await hover(scene, offset, budget, problems_of(prompt, facts, scene), style)


def shown(text: str, query: FakeQuery | None = None, **more) -> str:
    found = hover_on(text, query, **more)
    assert found is not None
    return found.text


A = f"@[Alpha]({encode('a')})"


@STYLES
def test_a_mention_tells_all_about_its_session(style: Style) -> None:
    query = query_of(make_surface("a", "question", title="Alpha", cwd="/w/x"))
    text = shown(f"see @|{A[1:]}", query, style=style)
    plain = text.replace("`", "")
    assert "Alpha" in plain
    for line in ("session: a", "directory: /w/x", "log: 1 record, format 4"):
        assert line in plain
    assert re.search(r"[\d.]+ (bytes|KiB) of 64\.0 KiB · 1 of 1 messages", plain)
    assert "budget: the default" in plain
    assert "user" in plain
    assert "question" in plain


def test_the_range_is_the_mentions() -> None:
    found = hover_on(f"😀 {A[:5]}|{A[5:]} x")
    assert found is not None
    assert (found.span.start, found.span.end) == (2, 2 + len(A))


@STYLES
def test_what_is_cut_is_told(style: Style) -> None:
    query = query_of(make_surface("a", "old " * 100, "new", title="Alpha"))
    text = shown(f"|{A}", query, style=style, budget=Budget(200, "small"))
    assert "1 of 2 messages · omits 1 messages, 400 bytes" in text
    assert "old old" not in text


@STYLES
def test_a_hover_is_bounded_and_says_what_it_leaves_out(style: Style) -> None:
    texts = [f"message {number} " + "x" * 900 for number in range(1_000)]
    query = query_of(make_surface("a", *texts, title="Alpha"))
    text = shown(f"|{A}", query, style=style, budget=Budget(10_000_000, "huge"))
    assert len(text.encode()) < 65_536
    assert "message 999" in text
    assert re.search(r"\d+ earlier messages are sent but not shown here", text)


@STYLES
def test_controls_do_not_blow_a_hover_up(style: Style) -> None:
    query = query_of(
        make_surface("a" * 9, "\x00" * 60_000, title="\x1b" * 9_000, cwd="\x07" * 9_000)
    )
    text = shown(f"|@[x]({encode('a' * 9)})", query, style=style, budget=Budget(10**7, "huge"))
    assert len(text.encode()) < 65_536
    assert "\x00" not in text
    assert "\x1b" not in text


HOSTILE = "````\n```\n[x](command:y) <img src=x> ![i](https://e.example) \u202e@[Alpha](z)\n# H\n"


def test_nothing_of_a_session_is_live_markdown() -> None:
    query = query_of(make_surface("a", HOSTILE, title=HOSTILE, cwd=HOSTILE))
    text = shown(f"|{A}", query)
    live = re.sub(r"(`{3,})text\n.*?\n\1(?!`)", "", text, flags=re.DOTALL)
    live = re.sub(r"(`+).+?(?<!`)\1(?!`)", "", live)
    for mark in ("<img", "](", "https:", "\n# ", "`", "\u202e"):
        assert mark not in live


@STYLES
@pytest.mark.parametrize("fault", ReadFault)
def test_an_unreadable_session_says_why(style: Style, fault: ReadFault) -> None:
    query = FakeQuery(surfaces={"a": ReadFailedError("it broke; mend it.", fault)})
    text = shown(f"|{A}", query, style=style)
    assert "error:" in text
    assert "it broke; mend it." in text


@STYLES
def test_a_label_that_cannot_fit_says_so(style: Style) -> None:
    text = shown(f"|@[{'<' * 10_909}]({encode('a')})", style=style)
    assert "error:" in text
    assert len(text) < 3_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see @al|pha.py", "`alpha.py`: file, 8 bytes"),
        ("see @do|cs/", "`docs/`: directory"),
        ('see @"my fi|le.md" x', "`my file.md`: file, 10 bytes"),
    ],
)
def test_a_file_tells_its_size_and_kind(text: str, expected: str) -> None:
    assert shown(text, files=FakeFiles("alpha.py", "docs/", "my file.md")) == expected


def test_a_missing_file_says_so() -> None:
    assert "no src/gone.py" in shown("see @src/go|ne.py").replace("\\", "")


def test_a_malformed_mention_says_what_is_wrong() -> None:
    assert "error:" in shown("@[x](dsh-session:a|bc=)")
    assert hover_on("ju|st text") is None
    assert hover_on(f"{A} |") is None
