"""What a prompt is told about its sources, and what the quick fixes do."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.checks.diagnosis import MOST_READ, Checks, Facts, diagnose, needed
from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.mentions import scan
from dsh_lsp.core.problem import Problem, Severity
from dsh_lsp.core.prompt import parse_prompt
from dsh_lsp.core.text import Span
from tests.support.fake_query import make_surface
from tests.support.marked_prompt import apply, expand, marked, places, prompt_of

GONE = ReadFailedError("no session 'gone' in /store", ReadFault.NOT_FOUND)
SOURCES: dict[str, Surface | ReadFailedError] = {
    **{each: make_surface(each, f"text of {each}", title=each.upper()) for each in "abcdef"},
    "gone": GONE,
    "odd": make_surface("odd", "x", title="ODD", warnings=("It holds job/strange events.",)),
    "long": make_surface("long", *["x" * 3000] * 50, title="LONG"),
    "leak": make_surface("leak", "use AKIAABCDEFGHIJKLMNOP now", title="LEAK"),
    "plain": make_surface("plain", "x"),
    "lines": make_surface("lines", "x", title="two\nlines"),
    "agent": make_surface("agent", "x", title="TITLE", label="AGENT"),
    "endless": make_surface("endless", "x", title="E" * 1_000_000),
}
FACTS = Facts("me", SOURCES, Limits())
OFF = Checks(truncated=False, stale_label=False, file_not_found=False, duplicate=False)


def diagnosed(text, facts=FACTS, **more):
    return diagnose(prompt_of(text), facts, **more)


def only(problems, code):
    (found,) = (each for each in problems if each.code == code)
    return found


SELF = "SESSION_REFERENCE_SELF_REFERENCE"
MANY = "SESSION_REFERENCE_TOO_MANY"
READ = "SESSION_REFERENCE_READ_FAILED"
BUDGET = "SESSION_REFERENCE_BUDGET_EXCEEDED"


def test_the_number_of_sessions_to_leave_out_is_told():
    one = only(diagnosed(expand("{a} {b} {c} {d}")), MANY)
    assert one.message.endswith("is number 4. Leave out one of them.")
    two = [each.message for each in diagnosed(expand("{a} {b} {c} {d} {e}"))]
    assert [message.partition(" is ")[2] for message in two] == [
        "number 4. Leave out 2 of them.",
        "number 5. Leave out 2 of them.",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "nothing here",
        "see {a}, {b} and {c}",
        "see {=a} and {unknown}",  # not looked up yet
        f"[[{SELF}:{{me}}]] and [[{SELF}:{{=me}}]]",
        f"{{a}} {{b}} {{c}} [[{MANY}:{{d}}]] [[{MANY}:{{e}}]]",
        f"{{a}} {{b}} [[{SELF}:{{me}}]] {{c}} [[{MANY}:{{=d}}]] [[duplicate-reference:{{d}}]]",
        f"[[{READ}:{{gone|x}}]] [[duplicate-reference:[[{READ}:{{=gone}}]]]]",
        f"{{a}} {{b}} {{c}} [[{MANY}:[[{READ}:{{gone}}]]]]",
        "{a} [[duplicate-reference:{a}]] [[duplicate-reference:{=a}]]",
        "[[unknown-events:{odd}]] [[duplicate-reference:{odd}]]",
        "[[session-truncated:{long}]]",
        f"{{a}} {{b}} {{c}} [[{MANY}:{{long}}]]",  # one that does not count loses nothing
        "[[possible-credential:{leak}]]",
        "@[[[stale-label:old]]]({=a})",
        "{plain|plain} [[duplicate-reference:{=plain}]]",
        "@[[[stale-label:PLAIN]]]({=plain})",
        "{lines|two lines}",
        "{agent|AGENT}",
        "@[[[stale-label:TITLE]]]({=agent})",
        f"😀 [[{SELF}:{{me}}]]\r\nх [[{READ}:{{gone}}]]",
    ],
)
def test_problems_stand_where_they_are_marked(source):
    prompt = marked(source)
    assert places(diagnosed(prompt.text)) == prompt.expected


def test_problems_come_in_document_order_with_those_of_the_prompt():
    text = expand("{gone} {me} {a}")
    own = Problem("unclosed-mention", Severity.WARNING, Span(3, 4), "")
    prompt = dataclasses.replace(prompt_of(text), problems=(own,))
    found = diagnose(prompt, FACTS)
    assert [each.span for each in found] == sorted(each.span for each in found)
    assert own in found


def test_without_a_target_no_self_reference_is_found():
    assert diagnosed(expand("{me}"), Facts(None, {}, Limits())) == ()


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        (SELF, Severity.ERROR),
        (MANY, Severity.ERROR),
        (READ, Severity.ERROR),
        (BUDGET, Severity.ERROR),
        ("session-truncated", Severity.INFORMATION),
        ("duplicate-reference", Severity.HINT),
        ("stale-label", Severity.HINT),
        ("unknown-events", Severity.WARNING),
        ("possible-credential", Severity.WARNING),
    ],
)
def test_severities(code, severity):
    texts = (
        "{me} {gone} {gone} {odd|old} {a} {b} {c} {d}",
        "{long}{leak}{a|" + "<" * 11_000 + "}",
    )
    found = [each for text in texts for each in diagnosed(expand(text)) if each.code == code]
    assert found
    assert {each.severity for each in found} == {severity}
    assert {each.unnecessary for each in found} == {code == "duplicate-reference"}


@pytest.mark.parametrize("fault", ReadFault)
def test_a_failed_read_says_which_way(fault):
    facts = Facts(None, {"x": ReadFailedError("the reason", fault)}, Limits())
    (problem,) = diagnosed(expand("{x}"), facts)
    assert problem.message.endswith(": the reason")
    assert len(problem.message) > len(": the reason") + 5


def test_too_many_points_at_those_that_count():
    text = expand("{a} {b} {a} {c}")
    facts = dataclasses.replace(FACTS, limits=Limits(max_references=2))
    problem = only(diagnosed(text, facts), MANY)
    first, second = (each.span for each in prompt_of(text).mentions[:2])
    assert [each.span for each in problem.related] == [first, second]
    assert [each.message for each in problem.related] == [
        "A counts as 1 of 2",
        "B counts as 2 of 2",
    ]
    assert "number 3" in problem.message


def test_a_label_too_big_for_the_budget_names_its_source_and_the_fix():
    (problem,) = diagnosed(expand("{a|" + "<" * 11_000 + "}"), checks=OFF)
    assert problem.code == BUDGET
    assert problem.message.startswith("A: ")
    assert "label" in problem.message
    assert "dsh.references.maxReferenceBytes" in problem.message
    assert len(problem.message) < 400


def test_a_truncated_source_tells_messages_and_bytes():
    (problem,) = diagnosed(expand("{long}"))
    snapshot_omits = 50 - 21  # 21 texts of 3,000 bytes fit 64 KiB
    assert f"omits {snapshot_omits} messages, {snapshot_omits * 3000:,} bytes" in problem.message
    assert "64.0 KiB" in problem.message


def test_a_credential_is_never_quoted():
    (problem,) = diagnosed(expand("{leak}"))
    assert "AWS" in problem.message
    assert "AKIA" not in problem.message


@pytest.mark.parametrize(
    ("switch", "code", "source"),
    [
        ("truncated", "session-truncated", "{long}"),
        ("stale_label", "stale-label", "{a|old}"),
        ("duplicate", "duplicate-reference", "{a} {a}"),
        ("credential", "possible-credential", "{leak}"),
    ],
)
def test_each_check_can_be_switched_off(switch, code, source):
    text = expand(source)
    assert [each.code for each in diagnosed(text)] == [code]
    assert diagnosed(text, checks=dataclasses.replace(Checks(), **{switch: False})) == ()


@pytest.mark.parametrize(
    ("source", "code", "after"),
    [
        ("see {me} now", SELF, "see now"),
        ("see {me}, now", SELF, "see, now"),
        ("{me} now", SELF, "now"),
        ("see {me}", SELF, "see"),
        ("see {me}\nnow", SELF, "see\nnow"),
        ("see\n{me} now", SELF, "see\nnow"),
        ("see {me}{a}", SELF, "see {a}"),
        ("{gone}{a} x", READ, "{a} x"),
        ("参考{me}的", SELF, "参考的"),
        ("{gone} and", READ, "and"),
        ("{a} {b} {c} {d} and {=d}.", MANY, "{a} {b} {c} and."),
        ("{a} {b} {c} {=d} {d}", MANY, "{a} {b} {c}"),
        ("{a} {a}", "duplicate-reference", "{a} A"),
        ("{a}; {a|other}, {=a}", "duplicate-reference", "{a}; other, A"),
        ("{a} {a|dsh-session:IiI} x", "duplicate-reference", "{a} x"),
        ("{a|two\nlines} {a|two\nlines}", "duplicate-reference", "{a|two\nlines} two lines"),
        ("{=b}{gone}then", READ, "{=b} then"),
        ("{=b} {a} dsh-session:{a|then}", "duplicate-reference", "{=b} {a} dsh-session: then"),
        ("{=a}{a|then}", "duplicate-reference", "{=a} then"),
        ("{a|old}", "stale-label", "{a}"),
        ("{lines|x}", "stale-label", "{lines|two lines}"),
        ("{agent|TITLE}", "stale-label", "{agent}"),
        ("{endless|x}", "stale-label", f"{{endless|{'E' * 999}…}}"),
    ],
)
def test_the_first_fix_leads_to(source, code, after):
    text = expand(source)
    problem = next(each for each in diagnosed(text) if each.code == code)
    assert apply(problem.fixes[0], text) == expand(after)


def test_surplus_sources_and_stale_labels_can_be_fixed_all_at_once():
    text = expand("{a} {b} {c} {d} {e} {d}")
    problem = only([each for each in diagnosed(text) if "number 4" in each.message], MANY)
    assert apply(problem.fixes[1], text) == expand("{a} {b} {c}")
    text = expand("{a} {b} {=c}{d}{e}then")
    problem = only([each for each in diagnosed(text) if "number 4" in each.message], MANY)
    assert apply(problem.fixes[1], text) == expand("{a} {b} {=c} then")
    text = expand("{a|1} {b|2} {a|3}")
    problem = next(each for each in diagnosed(text) if each.code == "stale-label")
    assert apply(problem.fixes[1], text) == expand("{a} {b} {a}")


def test_needed_are_the_distinct_sources_in_order_without_the_target():
    prompt = prompt_of(expand("{b} {=a} {b} {me} @[bad](dsh-session:x)"))
    assert needed(prompt, target_id="me") == ("b", "a")
    assert needed(prompt, target_id=None) == ("b", "a", "me")


def test_a_thousand_sources_are_not_all_read():
    prompt = prompt_of(expand(" ".join(f"{{s{number}}}" for number in range(1000))))
    assert len(needed(prompt, target_id=None)) == MOST_READ


names = st.sampled_from(["a", "b", "c", "d", "e", "me", "gone", "=a", "=b", "a|x", "lines|y]\\"])
gaps = st.sampled_from(["", " ", "  ", "\n", "\t", " x ", ", ", "字"])


@given(st.lists(st.tuples(names, gaps), max_size=8), gaps)
def test_every_fix_removes_its_problem_and_touches_nothing_else(parts, start):
    text = expand(start + "".join(f"{{{name}}}{gap}" for name, gap in parts))
    before = diagnosed(text)
    for problem in before:
        for fix in problem.fixes:
            after = apply(fix, text)
            assert len(diagnosed(after)) < len(before)
            unharmed = {each.session_id for each in scan(text)} - {
                each.session_id
                for each in scan(text)
                if any(
                    each.span.start < edit.span.end and edit.span.start < each.span.end
                    for edit in fix.edits(text)
                )
            }
            assert unharmed <= {each.session_id for each in scan(after)}


@pytest.mark.parametrize("head", ["", "---\ndsh:\n  mode: queue\n---\n"])
def test_a_slash_command_is_told_where_it_would_be_refused(head: str) -> None:
    text = f"{head}\n /compact now"
    refusing = dataclasses.replace(FACTS, refuses_commands=True)
    (problem,) = diagnose(parse_prompt(text), refusing)
    assert (problem.code, problem.severity) == ("slash-command", Severity.WARNING)
    assert problem.span.of(text) == "/compact"
    assert diagnose(parse_prompt(text), FACTS) == ()
    for harmless in ("see /compact", "/compact.", "/etc/passwd"):
        assert diagnose(parse_prompt(head + harmless), refusing) == ()
