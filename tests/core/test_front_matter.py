"""The `dsh` key of YAML front matter, its exact spans and its faults."""

from __future__ import annotations

import pytest

from dsh_lsp.core.front_matter import read_front_matter
from dsh_lsp.core.front_matter_block import MAX_SIZE
from dsh_lsp.core.problem import Severity
from tests.support.marked_prompt import apply

VALUES = [
    # the lines below `dsh:`, and session, new_session, cwd, mode
    ("session: session-1", ("session-1", False, None, None)),
    ("session: 'it''s: [odd]'", ("it's: [odd]", False, None, None)),
    ("session: 123", ("123", False, None, None)),
    ("session: 2026-01-02", ("2026-01-02", False, None, None)),
    ('session: "\\ud83d"', ("\ud83d", False, None, None)),
    ("session: dsh-session:IiI", ("", False, None, None)),
    ('session: "dsh-session:InMxIg"  # mine', ("s1", False, None, None)),
    ("session: new", (None, True, None, None)),
    ("session: new\n  cwd: /home/me/a b\n  mode: queue", (None, True, "/home/me/a b", "queue")),
    ("mode: steer", (None, False, None, "steer")),
    ("cwd: C:\\work", (None, False, "C:\\work", None)),
    ("cwd: \\\\server\\share", (None, False, "\\\\server\\share", None)),
    ("mode: steer\n  session: &a |-\n   folded", ("folded", False, None, "steer")),
]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("lines", "expected"), VALUES)
def test_values(lines, expected, line_end):
    text = f"---\ndsh:\n  {lines}\n---\nbody".replace("\n", line_end)
    reading = read_front_matter(text)
    found = reading.front_matter
    assert found is not None
    assert (found.session, found.new_session, found.cwd, found.mode) == expected
    assert reading.problems == ()
    assert text[reading.body_start :] == "body"
    assert found.span.of(text) == text.removesuffix("body")


def test_members_know_where_they_stand():
    text = "---\ntitle: 😀\ndsh: {session: 'a b', mode: , other: [1]}\n---\n"
    found = read_front_matter(text).front_matter
    assert found is not None
    assert [
        (each.key_span.of(text), each.value_span.of(text), each.value) for each in found.members
    ] == [("session", "'a b'", "a b"), ("mode", "", None), ("other", "[1]", None)]
    assert found.session_span is not None
    assert found.session_span.of(text) == "'a b'"


ALL_BODY = [
    "",
    "---",
    "---\n",
    "text\n---\ndsh:\n  mode: steer\n---\n",
    "----\ndsh:\n---\n",
    "--- x\ndsh:\n---\n",
    "\ufeff---\ndsh:\n---\n",
    "---\ntitle: x\n---\n",
    "---\ntitle: dsh\n---\n",
    "---\n- dsh\n---\n",
    "---\nother: {dsh: 1}\n---\n",
    "---\ntitle: [\ndsh, x\n---\n",
    "---\n\ndsh:\n  mode: steer\n",
    "---\ntitle: x\n\nabout dsh: it is\n",
    "---\n",
]


@pytest.mark.parametrize("text", ALL_BODY)
def test_without_a_dsh_key_all_is_body(text):
    reading = read_front_matter(text)
    assert (reading.front_matter, reading.body_start, reading.problems) == (None, 0, ())


NEARLY = [
    # the text, what is marked, and the text after the fix
    ("\n---\ndsh:\n---\n", "---", "---\ndsh:\n---\n"),
    (" \r\n---\r\ndsh:\r\n---", "---", "---\r\ndsh:\r\n---"),
    ("---\nsession: new\n---\nx", "session", "---\ndsh:\n  session: new\n---\nx"),
    (
        "---\r\nmode : steer\r\ncwd: /x\r\n---",
        "mode ",
        "---\r\ndsh:\r\n  mode : steer\r\n  cwd: /x\r\n---",
    ),
    (
        "---\nsession: dsh-session:MQ\n---\n",
        "session",
        "---\ndsh:\n  session: dsh-session:MQ\n---\n",
    ),
]


@pytest.mark.parametrize(("text", "mark", "fixed"), NEARLY)
def test_what_is_nearly_front_matter_is_text_with_a_warning(text, mark, fixed):
    reading = read_front_matter(text)
    assert (reading.front_matter, reading.body_start) == (None, 0)
    (problem,) = reading.problems
    assert (problem.code, problem.severity) == ("front-matter", Severity.WARNING)
    assert problem.span.of(text) == mark
    assert apply(problem.fixes[0], text) == fixed
    assert read_front_matter(fixed).front_matter is not None


@pytest.mark.parametrize(
    "text",
    ["---\ntitle: x\nsession: y\n---\n", "\n---\ntitle: x\n---\n", "\n---\ndsh:\n", "\n\ntext"],
)
def test_front_matter_of_others_is_left_alone(text):
    assert read_front_matter(text).problems == ()


def test_blanks_behind_the_dashes_are_no_matter():
    assert read_front_matter("--- \t\ndsh:\n---  \nx").body_start == 17


FAULTS = [
    # the lines below `dsh:`, and what is marked in each problem, with part of its message
    ("session: dsh-session:InMxIg=", [("dsh-session:InMxIg=", "padding")]),
    ("session: dsh-session:MQ", [("dsh-session:MQ", "not a string")]),
    ("session: DSH-SESSION:InMxIg", [("DSH-SESSION:InMxIg", "lower case")]),
    ("session:", [("session", "a session id, a `dsh-session:` URI, or `new`")]),
    ("session: ''", [("''", "a session id")]),
    ("session: [a]", [("[a]", "a session id")]),
    ("session: ~", [("~", "a session id")]),
    ("cwd: ~/work", [("~/work", "absolute")]),
    ("cwd: work", [("work", "absolute")]),
    ("mode: later", [("later", "`queue` or `steer`")]),
    ("mode: {a: 1}", [("{a: 1}", "`queue` or `steer`")]),
    ("mode: queue\n  mode: steer", [("mode", "twice")]),
    ("sesion: x", [("sesion", "has no key `sesion`")]),
    ('"a\\e\\nb": x', [('"a\\e\\nb"', r"has no key `a\u001b b`")]),
    ("mode: &a queue\n  session: *a", [("session", "a session id")]),
    ("mode: queue\n  <<: {cwd: /}", [("<<", "has no key")]),
    ("mode: later\n  cwd: x", [("later", "`queue`"), ("x", "absolute")]),
    ("session: [1", [("---", "not YAML")]),
    ("session: *a", [("*a", "not YAML")]),
    ("\tsession: a", [("\tsession: a", "not YAML")]),
    ('session: "\\UFFFFFFFF"', [("---", "cannot be read")]),
    ("session: a\0", [("\0", "not allowed")]),
    ("session: " + "[" * 5000, [("---", "cannot be read")]),
]


@pytest.mark.parametrize(("lines", "expected"), FAULTS)
def test_faults(lines, expected):
    text = f"---\ndsh:\n  {lines}\n---\nbody"
    reading = read_front_matter(text)
    found = [(problem.span.of(text), problem.message) for problem in reading.problems]
    assert len(found) == len(expected)
    for (marked, message), (expected_mark, part) in zip(found, expected, strict=True):
        assert marked == expected_mark
        assert part in message
    assert {problem.code for problem in reading.problems} == {"front-matter"}
    warns = "has no key" in expected[0][1]
    assert reading.problems[0].severity is (Severity.WARNING if warns else Severity.ERROR)
    assert text[reading.body_start :] == "body"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\ndsh: 1\n---\n", "must hold keys"),
        ("---\ndsh: [mode]\n---\n", "must hold keys"),
        ("---\ndsh:\ndsh:\n---\n", "twice"),
        ("---\ndsh:\n...\nmore: 1\n---\n", "not YAML"),
    ],
)
def test_faults_of_the_key_itself(text, message):
    (problem,) = read_front_matter(text).problems
    assert message in problem.message


@pytest.mark.parametrize("value", ["", " ~", " {}"])
def test_an_empty_key_is_no_fault(value):
    reading = read_front_matter(f"---\ndsh:{value}\n---\n")
    assert reading.front_matter is not None
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("---\ndsh:\n  session: dsh-session:InMxIg=\n---\n", ["InMxIg\n"]),
        ("---\ndsh:\n  mode: 'later'\n---\n", ["mode: queue\n", "mode: steer\n"]),
        ("---\ndsh:\n  mode: 'late\n    or'\n---\n", []),
        ("---\ndsh:\n  session: |\n    dsh-session:InMxIg=\n---\n", []),
    ],
)
def test_fixes_of_values(text, fixed):
    (problem,) = read_front_matter(text).problems
    assert len(problem.fixes) == len(fixed)
    for fix, part in zip(problem.fixes, fixed, strict=True):
        after = apply(fix, text)
        assert part in after
        assert read_front_matter(after).problems == ()


UNCLOSED = [
    # text, what is read as front matter
    ("---\ndsh:\n  mode: steer", "---\ndsh:\n  mode: steer"),
    ("---\ndsh:\n  mode: steer\n\nbody\n", "---\ndsh:\n  mode: steer\n"),
    ("---\r\ndsh:\r\n  mode: steer\r\n\r\nbody", "---\r\ndsh:\r\n  mode: steer\r\n"),
    ("---\rdsh:\r  mode: steer\r \rbody", "---\rdsh:\r  mode: steer\r"),
    ("---\ndsh:\n  mode: steer\n", "---\ndsh:\n  mode: steer\n"),
]


@pytest.mark.parametrize(("text", "front"), UNCLOSED)
def test_unclosed_front_matter_is_read_up_to_the_first_blank_line(text, front):
    reading = read_front_matter(text)
    assert reading.front_matter is not None
    assert reading.front_matter.mode == "steer"
    assert text[: reading.body_start] == front
    (problem,) = reading.problems
    assert problem.span.of(text) == "---"
    assert "not closed" in problem.message
    (fix,) = problem.fixes
    closed = read_front_matter(apply(fix, text))
    assert closed.problems == ()
    assert closed.front_matter is not None
    assert closed.front_matter.mode == "steer"


def test_endless_front_matter_is_not_read_to_its_end():
    text = "---\ndsh:\n  mode: steer\n" + "# more\n" * MAX_SIZE + "---\n"
    reading = read_front_matter(text)
    assert reading.body_start <= MAX_SIZE + len("---\n")
    assert "not closed" in reading.problems[0].message


def test_many_aliases_cost_nothing():
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 200)]
    text = "---\n" + "\n".join(lines) + "\ndsh:\n  mode: steer\n---\n"
    reading = read_front_matter(text)
    assert reading.front_matter is not None
    assert reading.front_matter.mode == "steer"
