"""Which `@path` tokens are looked up, and what a missing one is told."""

from __future__ import annotations

import pytest

from dsh_lsp.core.diagnosis import Checks, Facts, diagnose
from dsh_lsp.core.missing_files import file_like, paths_to_look_up
from dsh_lsp.core.paths import PathMention
from dsh_lsp.core.prepare import Limits
from dsh_lsp.core.problem import Severity
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span


def mention(path, quoted=False, start=0):
    return PathMention(Span(start, start + len(path) + (3 if quoted else 1)), path, quoted)


@pytest.mark.parametrize(
    ("path", "quoted", "looked_up"),
    [
        ("src/main.py", False, "src/main.py"),
        ("src/", False, "src/"),
        ("main.py", False, "main.py"),
        ("main.py,", False, "main.py"),
        ("main.py).", False, "main.py"),
        ("读我.md。", False, "读我.md"),
        ("Makefile", True, "Makefile"),
        ("a b,", True, "a b,"),
        (".env.local", False, ".env.local"),
        ("a/param", False, "a/param"),
        ("param", False, None),
        ("param.", False, None),
        ("dataclass(frozen=True)", False, None),
        ("v1.2", False, None),
        ("...", False, None),
        ("", False, None),
    ],
)
def test_only_what_looks_like_a_file_is_looked_up(path, quoted, looked_up):
    assert file_like(mention(path, quoted)) == looked_up


def test_a_missing_file_is_a_hint_at_its_path_without_the_punctuation():
    paths = (
        mention("there.py"),
        mention("gone.py,", start=20),
        mention("gone", quoted=True, start=40),
        mention("gone", start=60),
    )
    prompt = Prompt(" " * 80, None, 0, (), paths, ())
    assert paths_to_look_up(prompt) == ("there.py", "gone.py", "gone")
    facts = Facts(None, {}, Limits(), frozenset({"gone.py", "gone"}))
    found = diagnose(prompt, facts)
    assert [(each.span.start, each.span.end) for each in found] == [(20, 28), (40, 47)]
    assert {each.severity for each in found} == {Severity.HINT}
    assert {each.code for each in found} == {"file-not-found"}
    assert diagnose(prompt, facts, checks=Checks(file_not_found=False)) == ()
