"""The target of a prompt: whoever names it first, and never a guess."""

from __future__ import annotations

from typing import Any

import pytest

from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.prompt import FrontMatter, parse_prompt
from dsh_lsp.core.uri import encode
from dsh_lsp.server.target import Choice, Decision, Source, decide, read_choice


def front_matter(value: str) -> FrontMatter | None:
    return parse_prompt(f"---\ndsh:\n  {value}\n---\nhello").front_matter


NOBODY: dict[str, Any] = {
    "argument": None,
    "front_matter": None,
    "chosen": None,
    "setting": None,
    "created": None,
}


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({}, Decision()),
        ({"setting": Choice("s")}, Decision("s", source=Source.SETTING)),
        (
            {"setting": Choice("s"), "chosen": Choice("c")},
            Decision("c", source=Source.CHOICE),
        ),
        (
            {"chosen": Choice("c"), "front_matter": front_matter("session: session-f")},
            Decision("session-f", source=Source.FRONT_MATTER),
        ),
        (
            {"argument": Choice("a"), "front_matter": front_matter("session: session-f")},
            Decision("a", source=Source.ARGUMENT),
        ),
        (
            {"front_matter": front_matter("session: new"), "chosen": Choice("c")},
            Decision(new=True, source=Source.FRONT_MATTER),
        ),
        (
            {"front_matter": front_matter("session: new"), "created": "n"},
            Decision("n", created=True, source=Source.FRONT_MATTER),
        ),
        ({"created": "n", "chosen": Choice("c")}, Decision("c", source=Source.CHOICE)),
        ({"created": "n"}, Decision()),
        (
            {"front_matter": front_matter("mode: steer"), "setting": Choice(None)},
            Decision(new=True, source=Source.SETTING),
        ),
    ],
)
def test_the_first_who_names_a_target_decides(named: dict[str, Any], expected: Decision) -> None:
    assert decide(**{**NOBODY, **named}) == expected


def test_targets_as_people_write_them() -> None:
    assert read_choice("new") == Choice(None)
    assert read_choice("session-1") == Choice("session-1")
    assert read_choice(encode("a\nb")) == Choice("a\nb")
    for wrong in ("", "  ", "dsh-session:", "dsh-session:abc="):
        with pytest.raises(InvalidReferenceError):
            read_choice(wrong)
