"""A scan that goes on from an earlier one finds what a scan of the whole text finds."""

from __future__ import annotations

import timeit

from hypothesis import example, given
from hypothesis import strategies as st

from dsh_lsp.core import mentions
from dsh_lsp.core.mentions import Scan, format_mention, scan_from
from dsh_lsp.core.prompt import parse_prompt
from dsh_lsp.core.rescan import scan_again

PIECES = ["@[", "@[a", "]", "](", ")", " ", "\\", "a", "\n", "😀", "dsh-session:", "](dsh-session:"]
PIECES += ["InMxIg", "dsh-session:ImEi", "@[Plan](dsh-session:InMxIg)", "@[x](dsh-session:InMxIg "]
SHORT = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
LONG = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
EDITS = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 8), SHORT), max_size=6)


def plain(scan: Scan) -> tuple[object, ...]:
    """Without the faults, which are exceptions and equal only to themselves."""
    found = [
        (m.span, m.label, m.uri, m.session_id, str(m.fault), m.label_end) for m in scan.mentions
    ]
    return found, scan.unclosed


@given(LONG, EDITS, st.integers(0, 5))
@example("@[a](dsh-session:dsh-session:ImEi dsh-session:ImEi", [(0, 1, "")], 0)
@example("@[a dsh-session:ImEi dsh-session:ImEi](x", [(40, 1, "dsh-session:ImEi)")], 0)
def test_after_any_edits(text: str, edits: list[tuple[int, int, str]], start: int) -> None:
    found = scan_from(text, start)
    for place, length, new in edits:
        place = min(place, len(text))
        edited = text[:place] + new + text[place + length :]
        found = scan_again(edited, start, found, text, start)
        text = edited
        assert plain(found) == plain(scan_from(text, start))
        assert len(found.reaches) == len(found.mentions)


@given(LONG, LONG, st.integers(0, 9), st.integers(0, 9))
def test_any_other_text_from_any_start(before: str, text: str, earlier: int, start: int) -> None:
    found = scan_again(text, start, scan_from(before, earlier), before, earlier)
    assert plain(found) == plain(scan_from(text, start))


def test_only_what_changed_is_read_again(monkeypatch) -> None:
    mention = format_mention("s", "Some session")
    earlier = parse_prompt(f"{'words ' * 30_000}{mention} and so on\n" * 20)
    read: list[str] = []

    def examine(uri: str) -> str:
        read.append(uri)
        return "s"

    monkeypatch.setattr(mentions, "examine", examine)
    for place in (0, 180_010, len(earlier.text) // 2, len(earlier.text)):
        read.clear()
        edited = earlier.text[:place] + "x" + earlier.text[place:]
        assert len(parse_prompt(edited, earlier).mentions) >= 19
        assert len(read) <= 2


def test_hostile_text_is_scanned_again_in_linear_time() -> None:
    def again(count: int):
        text = "@[a](dsh-session:dsh-session:ImEi " * count
        found = scan_from(text, 0)
        return lambda: scan_again("x" + text, 0, found, text, 0)

    small, large = (min(timeit.repeat(again(each), number=1, repeat=7)) for each in (1_000, 8_000))
    assert large < small * 8 * 4
