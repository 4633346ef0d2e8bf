"""Which `@path` mentions are looked up, and what a missing one is told."""

from __future__ import annotations

from dsh_lsp.core.checks.diagnosis import Checks, Facts, diagnose
from dsh_lsp.core.checks.missing_files import paths_to_look_up
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.problem import Severity
from dsh_lsp.core.prompt import parse_prompt

PROMPT = parse_prompt('@there.py, @gone.py, then @"gone", then @gone, @pytest.fixture and @a/b')


def test_only_what_must_mean_a_file_is_looked_up():
    assert paths_to_look_up(PROMPT, 9) == ("there.py", "gone.py", "gone", "a/b")


def test_a_missing_file_is_a_hint_at_its_mention_without_the_sentence_around_it():
    facts = Facts(None, {}, Limits(), frozenset({"gone.py", "gone"}), folder="/w\n")
    found = diagnose(PROMPT, facts)
    assert [each.span.of(PROMPT.text) for each in found] == ["@gone.py", '@"gone"']
    assert {each.severity for each in found} == {Severity.HINT}
    assert {each.code for each in found} == {"file-not-found"}
    assert "There is no gone.py in /w , where" in found[0].message
    assert diagnose(PROMPT, facts, checks=Checks(file_not_found=False)) == ()
