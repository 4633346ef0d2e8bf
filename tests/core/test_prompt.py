"""One prompt document: body, mentions and the problems that need no store."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.failures import Code
from dsh_lsp.core.mentions import scan
from dsh_lsp.core.paths import scan_paths
from dsh_lsp.core.problem import Severity
from dsh_lsp.core.prompt import parse_prompt
from tests.support.javascript_text import CHARACTERS
from tests.support.linear import is_linear
from tests.support.marked_prompt import apply

FRONT = "---\ndsh:\n  session: dsh-session:InMxIg\n---\n"

PIECES = [
    "---\n",
    "---\r\n",
    "dsh:\n",
    "  session: ",
    "  mode: ",
    "steer\n",
    "\r",
    "\n",
    ": ",
    "&a",
]
PIECES += [
    "*a",
    "[",
    "{",
    "}",
    "<<",
    "!!",
    '"',
    "'",
    '"\\UFFFFFFFF"',
    "\t",
    "#",
    "| ",
    "@a.py",
    "%",
]
PIECES += [
    "dsh-session:InMxIg",
    "@[a](dsh-session:InMxIg)",
    "@[a](dsh-session:x",
    "dsh: {cwd: /}\n",
]
TEXTS = st.lists(st.sampled_from(PIECES) | CHARACTERS, max_size=25).map("".join)
STARTS = st.sampled_from(["", "---\n", "---\ndsh:\n", "---\r\ndsh:\r\n  session: ", FRONT])


@given(STARTS, TEXTS)
def test_any_text_is_read(start, text):
    prompt = parse_prompt(start + text)
    assert (prompt.front_matter is None) == (prompt.body_start == 0)
    body = prompt.body
    assert [mention.label for mention in prompt.mentions] == [each.label for each in scan(body)]
    assert [path.path for path in prompt.paths] == [
        path.path for path in scan_paths(body, scan(body))
    ]
    for problem in prompt.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(prompt.text)
        assert problem.message.isprintable()
    assert list(prompt.problems) == sorted(prompt.problems, key=lambda problem: problem.span)


@given(STARTS, TEXTS, TEXTS)
def test_an_earlier_version_changes_nothing(start, before, text):
    again, first = (
        parse_prompt(start + text, parse_prompt(start + before)),
        parse_prompt(start + text),
    )
    assert again.problems == first.problems
    assert [each.span for each in again.mentions] == [each.span for each in first.mentions]


@given(STARTS, TEXTS)
def test_a_fix_leaves_fewer_problems_of_its_kind(start, text):
    prompt = parse_prompt(start + text)
    for problem in prompt.problems:
        if problem.code != "front-matter":
            for fix in problem.fixes:
                fixed = parse_prompt(apply(fix, prompt.text))
                assert len(of_code(fixed, problem.code)) < len(of_code(prompt, problem.code))


def of_code(prompt, code):
    """The problems of one kind."""
    return [problem for problem in prompt.problems if problem.code == code]


def test_mentions_lie_in_the_body_at_offsets_of_the_whole_text():
    text = FRONT + "see @[a](dsh-session:ImEi) and @src/a.py"
    prompt = parse_prompt(text)
    assert prompt.body == "see @[a](dsh-session:ImEi) and @src/a.py"
    assert [mention.span.of(text) for mention in prompt.mentions] == ["@[a](dsh-session:ImEi)"]
    assert [path.span.of(text) for path in prompt.paths] == ["@src/a.py"]
    assert prompt.front_matter is not None
    assert prompt.front_matter.session == "s1"


MENTION_PROBLEMS = [
    # text, code, severity, what is marked, part of the message, what the fix makes of the text
    (
        "x @[a](dsh-session:ImEi=) y",
        Code.INVALID_REFERENCE,
        Severity.ERROR,
        "@[a](dsh-session:ImEi=)",
        "padding",
        "x @[a](dsh-session:ImEi) y",
    ),
    (
        "😀 dsh-session:Ilx1MDA2MSI.",
        Code.INVALID_REFERENCE,
        Severity.ERROR,
        "dsh-session:Ilx1MDA2MSI",
        "not canonical",
        "😀 dsh-session:ImEi.",
    ),
    (
        "@[a](dsh-session:\u202e!)",
        Code.INVALID_REFERENCE,
        Severity.ERROR,
        "@[a](dsh-session:\u202e!)",
        r"`\u202e`",
        None,
    ),
    (
        "dsh-session:MQ",
        Code.INVALID_REFERENCE,
        Severity.ERROR,
        "dsh-session:MQ",
        "not a string",
        None,
    ),
    (
        "see @[a](dsh-session:ImEi",
        "unclosed-mention",
        Severity.WARNING,
        "@[a](dsh-session:ImEi",
        "`)`",
        "see @[a](dsh-session:ImEi)",
    ),
    (
        "see @[a](dsh-session:ImEi  ) now",
        "unclosed-mention",
        Severity.WARNING,
        "@[a](dsh-session:ImEi",
        "`)`",
        "see @[a](dsh-session:ImEi) now",
    ),
    (
        "@[ ImEi dsh-session: ](dsh-session:ImEi",
        "unclosed-mention",
        Severity.WARNING,
        "@[ ImEi dsh-session: ](dsh-session:ImEi",
        "`)`",
        None,
    ),
    (
        "@[a](dsh-session:\nnext",
        "unclosed-mention",
        Severity.WARNING,
        "@[a](dsh-session:",
        "`)`",
        None,
    ),
]


@pytest.mark.parametrize(
    ("text", "code", "severity", "marked", "message", "fixed"), MENTION_PROBLEMS
)
def test_problems_of_mentions(text, code, severity, marked, message, fixed):
    (problem,) = parse_prompt(text).problems
    assert (problem.code, problem.severity) == (code, severity)
    assert problem.span.of(text) == marked
    assert message in problem.message
    assert [apply(fix, text) for fix in problem.fixes] == ([] if fixed is None else [fixed])


@pytest.mark.parametrize(
    "piece", ["@[a](dsh-session: ", "dsh-session:MQ= ", "@a.py @[a](dsh-session:ImEi) ", "---\n"]
)
def test_reading_takes_linear_time(piece):
    text = FRONT + piece * (65_536 // len(piece))
    assert is_linear(parse_prompt, text[: len(text) // 4], text)
