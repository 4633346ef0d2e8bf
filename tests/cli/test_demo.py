"""The demo as a process: it works, fails honestly, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from dsh_lsp.demo.checking import FAULTS
from dsh_lsp.demo.plain import PlainScreen
from dsh_lsp.demo.samples import SAMPLES
from dsh_lsp.demo.screen import changed_lines, clipped
from dsh_lsp.demo.shown_text import shown_lines
from tests.support.command import PROGRAM, clean_environment, run


def test_the_demo_as_plain_text(tmp_path):
    home = tmp_path / "home"
    temporary = tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    result = run(home, "demo", TMPDIR=str(temporary))
    assert (result.status, result.err) == (0, "")
    assert "\x1b" not in result.out
    assert re.findall(r"^== (\d)", result.out, re.MULTILINE) == list("123456789")
    assert all(code in result.out for code in FAULTS)
    assert "receipt" in result.out
    assert "captured, record" in result.out
    assert not list(temporary.iterdir())
    assert not list(home.rglob("*"))


def test_the_demo_on_a_terminal(tmp_path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environ = {**clean_environment(tmp_path), "TERM": "xterm-256color"}
    with subprocess.Popen(
        [PROGRAM, "demo"], stdin=theirs, stdout=theirs, stderr=theirs, env=environ
    ) as process:
        os.close(theirs)
        shown = b"".join(_until_closed(ours)).decode()
        assert process.wait(60) == 0
    os.close(ours)
    assert "\x1b[" in shown
    assert "╭" in shown
    assert "Done" in shown


def _until_closed(descriptor: int) -> Iterator[bytes]:
    try:
        while data := os.read(descriptor, 65536):
            yield data
    except OSError:  # how Linux tells that the other end is closed
        return


def test_samples_to_play_with(tmp_path):
    kept = tmp_path / "play here"
    result = run(tmp_path, "demo", "--keep", "play here")
    assert (result.status, result.err) == (0, "")
    home = kept / "home"
    assert f"export DSH_HOME='{home}'" in result.out
    listed = run(tmp_path, "sessions", DSH_HOME=str(home))
    assert len(listed.out.splitlines()) == 1 + len(SAMPLES)
    checked = run(tmp_path, "check", "ask.dsh.md", cwd=kept / "ebb", DSH_HOME=str(home))
    codes = ("READ_FAILED", "stale-label", "file-not-found")
    assert [code for code in codes if code not in checked.out] == []
    again = run(tmp_path, "demo", "--keep", str(kept))
    assert (again.status, "is not an empty folder" in again.err) == (2, True)


SABOTAGE = {
    "a server that is not there": (
        "import dsh_lsp.server.run as r\nr.serve_stdio = lambda *a: 3\n",
        "the server ended before it answered",
    ),
    "a server without its checks": (
        (
            "import sys\n"
            "if 'serve' in sys.argv:\n"
            "    import dsh_lsp.core.checks.diagnosis as d\n"
            "    d._source_problems = lambda *a: ()\n"
        ),
        "SESSION_REFERENCE_READ_FAILED",
    ),
}


@pytest.mark.parametrize("kind", SABOTAGE)
def test_a_failing_step_fails_the_demo_and_says_what_was_expected(tmp_path, kind):
    code, expected = SABOTAGE[kind]
    (tmp_path / "dsh_sabotage.py").write_text(code)
    (tmp_path / "sitecustomize.py").write_text("import dsh_sabotage\n")
    result = run(tmp_path, "demo", PYTHONPATH=str(tmp_path))
    assert result.status == 1
    assert "dsh-lsp: the demo failed: " in result.err
    assert expected in result.err


def test_concealed_uris_and_columns():
    text = "潮 @[a](dsh-session:InNlc3Npb24tMSI) x\n\x1b!"
    first, second = shown_lines(text)
    assert first.text == "潮 @[a](dsh-session:InNl…MSI) x"
    assert first.column(text.index("@")) == 3
    assert first.column(text.index("x\n")) == len("潮潮 @[a](dsh-session:InNl…MSI) ")
    assert second.text == "\\u001b!"
    assert second.column(len(text)) == len(second.text)


def test_changed_lines():
    assert changed_lines("a\nb\nc", "a\nB\nc") == (["b"], ["B"])
    assert changed_lines("a\nc", "a\nb\nc") == ([], ["b"])
    assert changed_lines("a\na", "a") == (["a"], [])


def test_clipping_counts_what_is_not_shown():
    assert clipped("a\nb\n", 2) == "a\nb"
    assert clipped("a\nb\nc", 2) == "a\n… 2 more lines"
    assert clipped("x" * 1360, 5).endswith(" … 1,000 more characters")


def test_plain_text_is_safe(capsys):
    screen = PlainScreen(sys.stdout)
    screen.say("a\x1b[31mb")
    screen.quote("q", "c\x1b\u202e", 5)
    screen.change("r", "x", "y\x07")
    shown = capsys.readouterr().out
    assert not set("\x1b\u202e\x07") & set(shown)
