"""`dsh-lsp check` as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from dsh_lsp.core.uri import encode
from tests.support.command import run_bytes

BAD = "@[x](dsh-session:bG9n=)"


def test_a_clean_prompt(person):
    name = person.write(
        "ok.dsh.md",
        f"See {person.mention('rendering', 'Month view stutters on old phones')} and @README.md\n",
    )
    result = person.run("check", name)
    assert (result.status, result.err) == (0, "")
    assert result.out == "1 file checked: no problems\n"


def test_standard_input_and_the_place_of_a_problem(person):
    result = person.run("check", "-", stdin=f"first\n潮汐 {BAD} end\n")
    assert result.status == 1
    lines = result.out.splitlines()
    assert lines[0].startswith("error[SESSION_REFERENCE_INVALID_REFERENCE]: ")
    assert lines[1] == "  --> <stdin>:2:4"
    assert lines[3] == f" 2 | 潮汐 {BAD} end"
    assert lines[4] == "   |      " + "^" * len(BAD)  # two wide characters take four columns
    assert lines[-1] == "1 file checked: 1 error"


SEVERITIES = [
    ("dsh-session:InMi=", 0),  # no mention: punctuation behind a whole URI
    (BAD, 1),
    ("@[open](dsh-session:InNlc3Npb24tc2FtcGxlLWdhdWdlIg", 1),  # a warning
    ("@gone/file.txt", 0),  # a hint
    ("", 0),
]


@pytest.mark.parametrize(("text", "status"), SEVERITIES)
def test_exit_status(person, text, status):
    text = text.replace("dsh-session:InMi=", encode(person.ids["constituents"]))
    assert person.run("check", "-", stdin=text).status == status


def test_every_file_is_checked_once_and_an_unreadable_one_costs_only_itself(person):
    person.write("bad.dsh.md", BAD)
    result = person.run("check", "bad.dsh.md", "gone.md", "bad.dsh.md", ".")
    assert result.status == 2
    assert result.out.count("[SESSION_REFERENCE_INVALID_REFERENCE]") == 1
    assert "error: gone.md does not exist" in result.out
    assert "error: . is a folder; name the prompt files in it" in result.out
    assert result.out.endswith("3 files checked: 1 error, 2 not readable\n")


def test_json(person):
    text = f"---\ndsh:\n  session: new\n---\n😀 {person.mention('printing', 'almanac')} {BAD}\n"
    result = person.run("check", person.write("a.md", text), "--format", "json")
    assert result.status == 1
    answer = json.loads(result.out)
    assert answer["counts"] == {"error": 2, "warning": 0, "information": 0, "hint": 0}
    (file,) = answer["files"]
    assert (file["path"], file["unreadable"]) == ("a.md", None)
    corrupt, malformed = file["problems"]
    assert corrupt["code"] == "SESSION_REFERENCE_READ_FAILED"
    assert corrupt["range"]["start"] == {"line": 5, "column": 3, "offset": text.index("@[almanac")}
    assert corrupt["fixes"][0]["title"]
    assert corrupt["fixes"][0]["edits"][0]["newText"] == ""
    start, end = (malformed["range"][key]["offset"] for key in ("start", "end"))
    assert text[start:end] == BAD


def test_json_tells_a_fix_of_many_problems_once(person):
    many = 300
    text = f"{person.mention('gauge', 'gauge')}\n" * many
    result = person.run("check", person.write("many.md", text), "--format", "json")
    problems = [
        problem
        for problem in json.loads(result.out)["files"][0]["problems"]
        if problem["code"] == "duplicate-reference"
    ]
    assert len(problems) == many - 1
    assert [len(problem["fixes"]) for problem in problems] == [1] + [0] * (many - 2)
    assert len(problems[0]["fixes"][0]["edits"]) == many - 1


def test_json_of_an_unreadable_file(person):
    result = person.run("check", "gone.md", "--format", "json")
    assert result.status == 2
    assert json.loads(result.out)["files"][0]["unreadable"] == "gone.md does not exist"


def test_github(person):
    name = "a,b:c%d.md"
    person.write(name, f"x {BAD}\n")
    result = person.run("check", name, "gone.md", "--format", "github")
    first, second = result.out.splitlines()
    assert first.startswith(
        "::error file=a%2Cb%3Ac%25d.md,line=1,endLine=1,col=3,endColumn=26,"
        "title=SESSION_REFERENCE_INVALID_REFERENCE::"
    )
    assert second == "::error file=gone.md::gone.md does not exist"


def test_github_commands_cannot_be_forged(person):
    text = f"{person.mention('rendering', 'x')}\n@[a\n::error::forged%0A](dsh-session:!)\n"
    result = person.run("check", "-", "--format", "github", stdin=text)
    lines = result.out.splitlines()
    assert lines
    for line in lines:
        assert line.startswith("::")
        assert not line.startswith("::error::forged")
    assert "%0A](" not in result.out


def test_hostile_text_is_escaped(person):
    result = person.run("check", "-", stdin="@[a\x1b[31m\u202e](dsh-session:!) \x07\n")
    assert result.status == 1
    assert not set("\x1b\u202e\x07") & set(result.out)
    assert "\\u001b" in result.out


def test_a_long_line_is_cut_around_the_problem(person):
    result = person.run("check", "-", stdin="x" * 500_000 + f" {BAD} " + "y" * 500_000)
    assert result.status == 1
    assert max(map(len, result.out.splitlines())) < 400
    assert BAD in result.out


FILES = [
    (b"\xef\xbb\xbfhello\n", 0, "no problems"),
    (b"caf\xe9\n", 2, "not UTF-8 text (byte 0xe9 in line 1); save it as UTF-8"),
    (b"a\nb\xff\xfe", 2, "byte 0xff in line 2"),
    (b"a\x00b\r\rc\x0c\xe2\x80\xa8", 0, "no problems"),
    (b"x" * ((16 << 20) + 1), 2, "larger than a prompt can be (16 MiB)"),
]


@pytest.mark.parametrize(("content", "status", "part"), FILES, ids=range(len(FILES)))
def test_strange_files(person, content, status, part):
    (person.workspace / "strange.md").write_bytes(content)
    result = person.run("check", "strange.md")
    assert result.status == status
    assert part in result.out


def test_the_column_counts_behind_a_byte_order_mark(person):
    (person.workspace / "bom.md").write_bytes(b"\xef\xbb\xbf" + BAD.encode())
    assert "bom.md:1:1\n" in person.run("check", "bom.md").out


def test_a_file_without_permission(person):
    path = person.workspace / "closed.md"
    path.write_text("x")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    result = person.run("check", "closed.md")
    assert result.status == 2
    assert "may not be read" in result.out


def test_target_of_the_option_and_of_the_settings(person):
    text = person.mention("rendering", "Month view stutters on old phones")
    for options in (
        ("--target", person.ids["rendering"]),
        ("--target", encode(person.ids["rendering"])),
        ("--set", f"target.session={person.ids['rendering']}"),
    ):
        result = person.run("check", "-", *options, stdin=text)
        assert result.status == 1
        assert "SESSION_REFERENCE_SELF_REFERENCE" in result.out
    assert person.run("check", "-", stdin=text).status == 0


UNKNOWN = "---\ndsh:\n  session: gone\n---\nHello.\n"


def test_a_target_that_the_store_does_not_have(person):
    result = person.run("check", "-", stdin=UNKNOWN)
    assert result.status == 1
    assert "warning[unknown-target]: " in result.out
    assert f"not in the store {person.home}/.dsh/sessions" in result.out
    assert "--> <stdin>:3:12" in result.out
    assert "unknown-target" in person.run("check", "-", "--target", "gone", stdin="x\n").out


def test_a_target_is_unknown_only_where_that_is_certain(person, tmp_path):
    known = UNKNOWN.replace("gone", person.ids["gauge"])
    assert person.run("check", "-", stdin=known).status == 0
    elsewhere = ("--set", "harness.url=http://192.0.2.1:1", "--set", "harness.mode=http")
    assert person.run("check", "-", *elsewhere, stdin=UNKNOWN).status == 0
    embedded = ("--set", "harness.mode=embedded", "--set", f"embedded.root={tmp_path}")
    result = person.run("check", "-", *embedded, stdin=known)
    assert "unknown-target" in result.out
    assert "dsh-lsp embedded" in result.out


def test_an_empty_prompt_is_told_and_no_fault(person):
    for text in ("", " \n", "---\ndsh:\n  session: new\n---\n\n"):
        result = person.run("check", "-", stdin=text)
        assert result.status == 0
        assert "information[empty-prompt]: " in result.out


def test_a_folder_for_the_new_session_that_is_none(person, tmp_path):
    text = "---\ndsh:\n  session: new\n  cwd: /nowhere/here\n---\nx @a/b\n"
    result = person.run("check", "-", stdin=text)
    assert (result.status, "warning[cwd-not-found]" in result.out) == (1, True)
    assert "--> <stdin>:4:8" in result.out
    embedded = ("--set", "harness.mode=embedded", "--set", f"embedded.root={tmp_path / 'e'}")
    sent = person.run("send", "-", *embedded, stdin=text)
    assert (sent.status, sent.out) == (1, "")
    assert "error[cwd-not-found]" in sent.err
    assert not (tmp_path / "e").exists()
    (tmp_path / "link").symlink_to(tmp_path)
    there = text.replace("/nowhere/here", f"{tmp_path}/link")
    assert "cwd-not-found" not in person.run("check", "-", stdin=there).out


def test_a_slash_command_is_told_before_a_harness_refuses_it(person):
    assert "warning[slash-command]" in person.run("check", "-", stdin="/compact now\n").out
    embedded = ("--set", "harness.mode=embedded")
    assert person.run("check", "-", *embedded, stdin="/compact now\n").out.count("warning") == 0


def test_settings_switch_checks_off(person):
    assert "file-not-found" in person.run("check", "-", stdin="@gone/x.txt").out
    result = person.run(
        "check", "-", "--set", "diagnostics.fileNotFound=false", stdin="@gone/x.txt"
    )
    assert "file-not-found" not in result.out


def test_paths_begin_in_the_folder_of_the_option(person, tmp_path):
    (tmp_path / "only.txt").write_text("x")
    assert "file-not-found" in person.run("check", "-", stdin="@./only.txt").out
    inside = person.run("check", "-", "--cwd", str(tmp_path), stdin="@./only.txt")
    assert "file-not-found" not in inside.out


def test_a_terminal_that_knows_no_unicode(person):
    result = run_bytes(
        person.home, "check", "-", stdin=f"潮 {BAD}".encode(), PYTHONIOENCODING="ascii", LC_ALL="C"
    )
    assert result.returncode == 1
    assert b"\\u6f6e" in result.stdout


def test_check_imports_nothing_slow(person):
    code = (
        "import sys; from dsh_lsp.cli import main; status = main(['check', '-']);"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'pygls', 'lsprotocol', 'cattrs', 'attrs', 'rich', 'shtab', 'hypothesis'}), status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=BAD,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "DSH_HOME": str(person.home / ".dsh")},
    )
    assert done.stdout.endswith("[] 1\n")
