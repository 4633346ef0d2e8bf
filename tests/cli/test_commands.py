"""The other commands as processes: sessions, preview, send, status, and the command itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from functools import partial

import anyio.to_thread
import pytest

from dsh_lsp import __version__
from dsh_lsp.core.uri import encode
from dsh_lsp.demo.samples import SAMPLES
from tests.support.command import PROGRAM, Result, clean_environment, run
from tests.support.fake_wires import FakeHost
from tests.support.scripted_host import scripted_host

EMBEDDED = ("--set", "harness.mode=embedded")


@pytest.fixture
def anyio_backend():
    return "asyncio"


def test_version(person):
    assert person.run("--version").out == f"dsh-lsp {__version__}\n"


@pytest.mark.parametrize(
    "command", ["", "serve", "check", "sessions", "preview", "send", "status", "demo"]
)
def test_help(person, command):
    result = person.run(*command.split(), "--help")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(f"usage: dsh-lsp {command}".rstrip())


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_script(person, shell):
    result = person.run("--print-completion", shell)
    assert result.status == 0
    assert "sessions" in result.out


def test_bash_takes_the_completion_script(person):
    script = person.run("--print-completion", "bash").out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


WRONG_USAGE = [
    ([], "required"),
    (["fly"], "invalid choice"),
    (["check"], "required"),
    (["sessions", "--limit", "0"], "from 1 to 100000"),
    (["send", "x", "--mode", "later"], "queue"),
    (["check", "-", "--set", "harness.mode"], "--set needs KEY=VALUE"),
    (["check", "-", "--set", "harness.mode=http2"], "dsh.harness.mode: expects"),
    (["check", "-", "--set", "refernces.maxReferences=2"], "did you mean `dsh.references`?"),
    (["--set", "files.enabled=1", "check", "-"], "dsh.files.enabled: expects true or false"),
    (["check", "-", "--settings", "gone.json"], "No such file"),
    (["check", "-", "--settings", "."], "directory"),
    (["check", "-", "--settings", "README.md"], "is not JSON"),
    (["check", "-", "--target", "dsh-session:="], "--target"),
    (["check", "-", "--target", ""], "--target"),
    (["serve", "--tcp", "0.0.0.0:7998"], "may read all your sessions"),
    (["serve", "--tcp", "7998x"], "HOST:PORT"),
    (["serve", "--tcp", "127.0.0.1:99999"], "HOST:PORT"),
    (["serve", "--tcp", "127.0.0.1:1", "--stdio"], "not allowed"),
    (["preview", "gone.md"], "gone.md does not exist, and is no session's id either"),
    (["send", "gone.md"], "gone.md does not exist"),
    (["status", "--set", "home=relative"], "write it from / or with ~"),
    (["status", "--set", "embedded.root=~/.dsh", *EMBEDDED], "overlap"),
]


@pytest.mark.parametrize(("arguments", "part"), WRONG_USAGE)
def test_wrong_usage(person, arguments, part):
    result = person.run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert part in result.err


def test_settings_of_file_options_and_environment(person, tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"dsh": {"references": {"candidateLimit": 2}, "home": "/nope"}}))
    listed = person.run("sessions", "--settings", str(path), "--home", str(person.home / ".dsh"))
    assert len(listed.out.splitlines()) == 1 + 2 + 1
    one = person.run("--set", "references.candidateLimit=1", "sessions", "--json")
    assert len(json.loads(one.out)["items"]) == 1
    assert "/nope/sessions" in person.run("status", "--settings", str(path)).out
    assert "/elsewhere/sessions" in person.run("status", DSH_HOME="/elsewhere").out
    nearer = person.run("status", "--home", "here", DSH_HOME="/elsewhere")
    assert f"{person.workspace}/here/sessions" in nearer.out


def test_sessions_as_a_table(person):
    result = person.run("sessions")
    lines = result.out.splitlines()
    assert result.status == 0
    assert re.match(r"title +directory +age +session", lines[0])
    assert [line.split()[-1] for line in lines[1:]] == [
        person.ids[key]
        for key in ("constituents", "rendering", "time-zones", "port-names", "printing", "gauge")
    ]
    assert "潮汐表的时区与夏令时" in result.out


@pytest.mark.parametrize(
    ("query", "keys"),
    [("MONTH", ["rendering", "gauge"]), ("潮汐", ["time-zones"]), ("checker", ["port-names"])],
)
def test_sessions_that_match(person, query, keys):
    result = person.run("sessions", query, "--json")
    items = json.loads(result.out)["items"]
    assert [item["sessionId"] for item in items] == [person.ids[key] for key in keys]
    assert all(item["mention"].endswith(f"({encode(item['sessionId'])})") for item in items)


def test_no_session_matches(person):
    result = person.run("sessions", "nothing like this")
    assert (result.status, result.out) == (1, "")
    assert "no session matches" in result.err


def test_the_target_is_not_among_the_sessions(person):
    result = person.run("sessions", "--json", "--target", person.ids["gauge"])
    assert len(json.loads(result.out)["items"]) == len(SAMPLES) - 1


def test_preview_of_a_prompt(person):
    mention = person.mention("gauge", "Brest")
    name = person.write("ask.md", f"---\ndsh:\n  session: new\n---\nPlan with {mention}.\n")
    result = person.run("preview", name, "--set", "references.maxReferenceBytes=2000")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("snapshot of Brest: ")
    assert "Plan with @Brest.\n" in result.out
    assert "dsh-session:" not in result.out
    (sources,) = re.findall(r"<referenced-sessions>\n(.*)\n</referenced-sessions>", result.out)
    (source,) = json.loads(sources)
    assert len(sources.encode()) - 2 <= 2000
    assert (source["sessionId"], source["label"]) == (person.ids["gauge"], "Brest")


def test_preview_as_json(person):
    text = f"See {person.mention('gauge', 'Brest')}.\n"
    answer = json.loads(person.run("preview", "-", "--json", stdin=text).out)
    assert answer["text"] == "See @Brest.\n"
    assert "<referenced-sessions>" in answer["context"]
    (reference,) = answer["references"]
    assert (reference["label"], reference["sessionId"]) == ("Brest", person.ids["gauge"])
    assert answer["budget"]["bytes"] == reference["budget"]
    refused = person.run("preview", "-", "--json", stdin="@[x](dsh-session:!)")
    assert refused.status == 1
    assert json.loads(refused.out)["text"] is None
    assert json.loads(refused.out)["problems"][0]["severity"] == "error"


def test_send_as_json(person, tmp_path):
    embedded = (*EMBEDDED, "--set", f"embedded.root={tmp_path}", "--json")
    text = person.mention("time-zones", "潮汐")
    answer = json.loads(person.run("send", "-", "--target", "new", *embedded, stdin=text).out)
    assert (answer["status"], answer["receipt"]["state"]) == ("accepted", "captured")
    assert answer["references"][0]["label"] == "潮汐"
    refused = person.run("send", "-", *embedded, stdin=text)
    assert refused.status == 1
    assert json.loads(refused.out)["problems"][0]["code"] == "no-target"


def test_preview_of_an_empty_prompt(person):
    result = person.run("preview", "-", stdin=" \n")
    assert (result.status, result.out) == (1, "")
    assert result.err == "dsh-lsp: There is nothing to send: the prompt has no text.\n"


@pytest.mark.parametrize("form", ["{id}", "{uri}", "@[mine]({uri})"])
def test_preview_of_a_session_by_any_of_its_names(person, form):
    session_id = person.ids["rendering"]
    what = form.format(id=session_id, uri=encode(session_id))
    result = person.run("preview", what)
    assert result.status == 0
    assert "Month view stutters on old phones" in result.out
    answer = json.loads(person.run("preview", what, "--json").out)
    assert answer["label"] == ("mine" if "mine" in what else "Month view stutters on old phones")
    assert answer["conversation"]


def test_preview_without_mentions_is_the_text(person):
    assert person.run("preview", "-", stdin="Hello.\n").out == "Hello.\n"


def test_preview_of_a_prompt_that_may_not_be_sent(person):
    result = person.run("preview", "-", stdin=person.mention("printing", "almanac"))
    assert (result.status, result.out) == (1, "")
    assert "SESSION_REFERENCE_READ_FAILED" in result.err


def test_preview_of_a_session(person):
    result = person.run("preview", encode(person.ids["rendering"]))
    assert result.status == 0
    assert "Month view stutters on old phones" in result.out
    assert "compacted: yes" in result.out


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("dsh-session:IiI=", "SESSION_REFERENCE_INVALID_REFERENCE"),
        (encode("gone"), "SESSION_REFERENCE_READ_FAILED"),
    ],
)
def test_preview_of_no_session(person, uri, code):
    result = person.run("preview", uri)
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith(f"dsh-lsp: {code}: ")


def test_send_and_read_back(person, tmp_path):
    root = tmp_path / "embedded"
    embedded = (*EMBEDDED, "--set", f"embedded.root={root}")
    text = f"Plan with {person.mention('time-zones', '潮汐')} please.\n"
    sent = person.run("send", "-", "--target", "new", *embedded, stdin=text)
    assert (sent.status, sent.err) == (0, "")
    session_id, seq = re.findall(r"session (session-\S+)\ncaptured: .* record (\d+)\n", sent.out)[0]
    assert int(seq) > 0
    assert "snapshot of 潮汐: " in sent.out
    assert sent.out.endswith(f"to go on in it: --target {session_id}\n")
    again = person.run("send", "-", "--target", session_id, *embedded, stdin="And on.\n")
    assert "captured" in again.out
    assert "to go on" not in again.out
    shown = person.run("preview", encode(session_id), *embedded)
    assert "Plan with @潮汐 please." in shown.out
    assert "And on." in shown.out
    listed = json.loads(person.run("sessions", "--json", *embedded).out)["items"]
    assert session_id in [item["sessionId"] for item in listed]
    assert (root / "sessions").is_dir()


def test_front_matter_and_settings_name_the_target(person, tmp_path):
    embedded = (*EMBEDDED, "--set", f"embedded.root={tmp_path}")
    written = person.run("send", "-", *embedded, stdin="---\ndsh:\n  session: new\n---\nHello.\n")
    assert written.status == 0
    setting = person.run("send", "-", *embedded, "--set", "target.session=new", stdin="Hello.\n")
    assert setting.status == 0


REFUSED = [
    ([*EMBEDDED], "Hello.\n", "-> name one with --target SESSION"),
    ([*EMBEDDED, "--target", "gone"], "Hello.\n", "`dsh-lsp sessions --targets` lists"),
    ([*EMBEDDED, "--target", "session-sample-gauge"], "Hello.\n", "unknown-target"),
    ([*EMBEDDED, "--target", "new"], "@[x](dsh-session:!)", "INVALID_REFERENCE"),
    ([*EMBEDDED, "--target", "new"], " \n", "empty-prompt"),
    (["--target", "new"], "Hello.\n", "send again; or --keep keeps it in the outbox"),
    ([], "Hello.\n", "no-harness]: No harness answers at http://127.0.0.1:"),
    (["--target", "new", "--set", "harness.mode=off"], "Hello.\n", "switched off"),
    (["--target", "new", "--set", "harness.mode=http"], "Hello.\n", "harness.url is not set"),
]


@pytest.mark.parametrize(("arguments", "text", "part"), REFUSED)
def test_refused_sends(person, tmp_path, arguments, text, part):
    root = tmp_path / "embedded"
    result = person.run("send", "-", "--set", f"embedded.root={root}", *arguments, stdin=text)
    assert (result.status, result.out) == (1, "")
    assert part in result.err
    assert result.err.endswith("dsh-lsp: nothing was sent\n")
    assert "checked" not in result.err
    assert not set(re.findall(r"dsh\.[a-z]+[A-Z]\w+", result.err))  # commands of editors


def test_status(person):
    result = person.run("status")
    assert result.status == 0
    assert f"{person.home}/.dsh/sessions" in result.out
    assert f".dsh/sessions ({len(SAMPLES)} sessions)\n" in result.out
    assert "6 of format 4" in result.out
    embedded = person.run("status", *EMBEDDED)
    assert f"dsh-lsp embedded {__version__}" in embedded.out


@pytest.mark.anyio
async def test_a_harness_without_a_store_yet_is_no_failure(tmp_path):
    async with scripted_host(FakeHost("0.1.0")) as host:
        there = ("--set", "harness.mode=http", "--set", f"harness.url={host.url}")
        status = await anyio.to_thread.run_sync(partial(run, tmp_path, "status", *there))
        answer = await anyio.to_thread.run_sync(partial(run, tmp_path, "status", "--json", *there))
        listed = await anyio.to_thread.run_sync(partial(run, tmp_path, "sessions", *there))
    assert listed == Result(1, "", f"dsh-lsp: no sessions in {tmp_path}/.dsh/sessions\n")
    assert (status.status, status.err) == (0, "")
    assert f"{tmp_path}/.dsh/sessions (0 sessions)\n" in status.out
    assert "run a harness once" not in status.out
    told = json.loads(answer.out)
    assert (answer.status, told["storeProblem"], told["faults"]) == (0, None, [])
    without = run(tmp_path, "status")
    assert (without.status, "run a harness once" in without.out) == (2, True)


@pytest.mark.anyio
async def test_a_store_that_cannot_be_read_is_a_failure_beside_a_harness_too(tmp_path):
    (tmp_path / ".dsh").mkdir()
    (tmp_path / ".dsh" / "sessions").write_text("no folder")
    async with scripted_host(FakeHost("0.1.0")) as host:
        there = ("--set", "harness.mode=http", "--set", f"harness.url={host.url}")
        status = await anyio.to_thread.run_sync(partial(run, tmp_path, "status", *there))
    assert (status.status, "unreadable" in status.out) == (2, True)


def test_status_counts_each_store(person, tmp_path):
    embedded = (*EMBEDDED, "--set", f"embedded.root={tmp_path}")
    assert person.run("send", "-", "--target", "new", *embedded, stdin="Hello.\n").status == 0
    result = person.run("status", *embedded)
    assert f"{person.home}/.dsh/sessions ({len(SAMPLES)} sessions)\n" in result.out
    assert f"{tmp_path}/sessions (1 session)\n" in result.out
    answer = json.loads(person.run("status", "--json", *embedded).out)
    assert answer["stores"] == [
        {"place": f"{person.home}/.dsh/sessions", "sessions": len(SAMPLES)},
        {"place": f"{tmp_path}/sessions", "sessions": 1},
    ]
    assert answer["harness"] == {"name": "dsh-lsp embedded", "version": __version__}


def test_targets_are_only_sessions_that_a_prompt_can_go_to(person, tmp_path):
    embedded = (*EMBEDDED, "--set", f"embedded.root={tmp_path}")
    nothing = person.run("sessions", "--targets", *embedded)
    assert (nothing.status, nothing.out) == (1, "")
    assert f"no session that a prompt can be sent to (of {len(SAMPLES)}, in " in nothing.err
    sent = person.run("send", "-", "--target", "new", "--json", *embedded, stdin="Hello.\n")
    session_id = json.loads(sent.out)["sessionId"]
    listed = json.loads(person.run("sessions", "--targets", "--json", *embedded).out)["items"]
    assert [item["sessionId"] for item in listed] == [session_id]


@pytest.mark.parametrize("options", [(), ("--set", "harness.mode=off")])
def test_targets_without_a_harness_are_those_of_the_store(person, options):
    without = person.run("sessions", "--targets", "--mentions", *options)
    assert without.status == 0
    assert without.out == person.run("sessions", "--mentions").out
    assert f"; taken from the store {person.home}/.dsh/sessions instead\n" in without.err
    assert len(without.err.splitlines()) == 1
    listed = json.loads(person.run("sessions", "--targets", "--json", *options).out)["items"]
    assert len(listed) == len(SAMPLES)


def test_several_words_are_one_query(person):
    one = person.run("sessions", "month view", "--mentions")
    assert one.out.splitlines() == [
        person.mention("rendering", "Month view stutters on old phones")
    ]
    assert person.run("sessions", "month", "view", "--mentions").out == one.out
    assert person.run("sessions", "view", "month").status == 1


def test_sessions_as_mentions(person):
    result = person.run("sessions", "潮汐", "--mentions")
    assert result.out == person.mention("time-zones", "潮汐表的时区与夏令时") + "\n"


def test_a_log_that_cannot_be_read_is_marked(person):
    lines = person.run("sessions").out.splitlines()
    marked = [line for line in lines if "(its log cannot be read)" in line]
    assert [line.split()[-1] for line in marked] == [person.ids["printing"]]
    items = json.loads(person.run("sessions", "--json").out)["items"]
    assert [i["sessionId"] for i in items if not i["readable"]] == [person.ids["printing"]]


def test_faults_of_the_store_are_told_beside_its_sessions(person, tmp_path):
    copy = tmp_path / "home"
    shutil.copytree(person.home / ".dsh", copy)
    for number in range(5):
        broken = copy / "sessions" / "--p--" / f"s{number}"
        broken.mkdir(parents=True)
        (broken / "session.v4.jsonl").write_text("no header\n")
    result = person.run("sessions", "--home", str(copy))
    assert result.status == 0
    assert result.err.count(f"dsh-lsp: {copy}/sessions/--p--/s") == 3
    assert "and 2 more that cannot be read" in result.err


def test_an_empty_store_is_named(person, tmp_path):
    (tmp_path / "sessions").mkdir()
    result = person.run("sessions", "--home", str(tmp_path))
    assert result.err == f"dsh-lsp: no sessions in {tmp_path}/sessions\n"
    assert result.status == 1


@pytest.mark.parametrize("home", ["~/.dsh", "../.dsh"])
def test_home_is_taken_as_at_a_shell(person, home):
    result = person.run("status", "--home", home, DSH_HOME="/elsewhere")
    assert f"{person.home}/.dsh/sessions (" in result.out
    assert result.err == ""


def test_a_named_folder_that_is_none_is_told(person):
    result = person.run("status", "--home", "here")
    assert result.err == f"dsh-lsp: --home: there is no folder {person.workspace}/here\n"
    assert "dsh-lsp: --cwd: there is no" in person.run("check", "-", "--cwd", "x", stdin="x").err


def test_a_wrong_option_behind_a_command_shows_its_usage(person):
    result = person.run("preview", "x", "--colour")
    assert result.status == 2
    assert result.err.startswith("usage: dsh-lsp preview ")
    assert "unrecognized arguments: --colour" in result.err


def test_paths_begin_in_the_workspace_of_the_prompt(person, tmp_path):
    inner = tmp_path / "repository" / "prompts"
    inner.mkdir(parents=True)
    prompt = inner / "ask.dsh.md"
    prompt.write_text("See @src/a.py.\n")
    alone = person.run("check", str(prompt))
    assert f"There is no src/a.py in {inner}, where" in alone.out
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "repository" / "src").mkdir()
    assert f"in {tmp_path}/repository, where" in person.run("check", str(prompt)).out
    (tmp_path / "repository" / "src" / "a.py").write_text("")
    assert "no problems" in person.run("check", str(prompt)).out


STORES = ["gone", "a file", "unreadable"]


@pytest.mark.parametrize("kind", STORES)
def test_a_store_that_is_no_store(tmp_path, kind):
    store = tmp_path / ".dsh" / "sessions"
    if kind != "gone":
        store.parent.mkdir()
    if kind == "a file":
        store.write_text("x")
    if kind == "unreadable":
        store.mkdir(mode=0)
        if os.access(store, os.R_OK):
            pytest.skip("this user may read everything")
    result = run(tmp_path, "status")
    assert str(store) in result.out
    assert result.status == 2
    assert run(tmp_path, "check", "-", stdin="Hello.\n").status == 0
    listed = run(tmp_path, "sessions")
    assert listed.status == 2
    assert str(store) in listed.err


def test_unexpected_faults_are_one_line_and_a_traceback_only_on_request(person, tmp_path):
    broken = tmp_path / "sitecustomize.py"
    broken.write_text(
        "import dsh_lsp.cli.status\n"
        "def fail(options): raise KeyError('boo\\x1b')\n"
        "dsh_lsp.cli.status.settings_of = fail\n"
    )
    result = person.run("status", PYTHONPATH=str(tmp_path))
    assert result.status == 70
    assert result.err.startswith("dsh-lsp: unexpected KeyError: ")
    assert "--debug" in result.err
    assert "\x1b" not in result.err
    done = subprocess.run(
        [PROGRAM, "status", "--debug"],
        capture_output=True,
        text=True,
        env={**clean_environment(person.home), "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert "Traceback" in done.stderr


def test_names_are_utf8_in_any_locale(tmp_path):
    folder = tmp_path / "潮 é"
    folder.mkdir()
    (folder / "frägen.md").write_text("Hello.\n", "utf-8")
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    embedded = (*EMBEDDED, "--set", f"embedded.root={tmp_path / 'ebb é'}")
    sent = run(tmp_path, "send", "frägen.md", "--target", "new", *embedded, cwd=folder, **bare)
    assert sent.status == 0
    listed = run(tmp_path, "sessions", "--json", *embedded, cwd=tmp_path, **bare)
    (item,) = json.loads(listed.out)["items"]
    assert item["cwd"] == str(folder)


def test_a_closed_pipe_is_quiet(person):
    command = f"'{PROGRAM}' sessions --json | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        env=clean_environment(person.home),
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode in (0, 141)


@pytest.mark.parametrize(
    ("redirected", "status", "said"),
    [
        ("sessions >&-", 0, ""),
        ("status >&- 2>&-", 0, ""),
        ("check - <&-", 0, ""),
        ("serve --stdio <&-", 1, ""),
        ("serve --stdio >&- </dev/null", 1, ""),
        ("sessions >/dev/full", 2, "dsh-lsp: nothing more can be written"),
    ],
)
def test_standard_streams_that_are_closed_or_full(person, redirected, status, said):
    done = subprocess.run(
        ["bash", "-c", f"'{PROGRAM}' {redirected}"],
        capture_output=True,
        text=True,
        env=clean_environment(person.home),
        check=False,
        timeout=60,
    )
    assert done.returncode == status
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == bool(said)


@pytest.mark.parametrize("command", ["check", "preview", "send"])
def test_one_interrupt_ends_the_wait_for_a_prompt(person, tmp_path, command):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [PROGRAM, command, str(fifo)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(person.home),
    )
    with process:
        writer = os.open(fifo, os.O_WRONLY)  # as soon as the command reads
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""
        os.close(writer)
