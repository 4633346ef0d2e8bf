"""The whole way with everything real: Neovim, the server, a running harness and its log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dsh_lsp.core.envelope import CLOSING_TAG, OPENING_TAG
from dsh_lsp.core.uri import encode
from tests.support.hosts import Host
from tests.support.hosts_logs import (
    await_quiet,
    await_turn,
    eventually,
    lines_of,
    log_path,
    records,
)
from tests.support.hosts_releases import NO_TITLES, Release
from tests.support.hosts_wire import HostCaller
from tests.support.neovim import Editor, neovim

StartHost = Callable[..., Host]


@dataclass(frozen=True)
class Desk:
    """A host with a session to be mentioned and one to be written to, and a prompt for it."""

    host: Host
    source: str
    target: str
    prompt: Path
    folder: Path

    @contextmanager
    def editor(self) -> Iterator[Editor]:
        """A Neovim whose user has named the host in the settings."""
        settings = {
            "home": str(self.host.home),
            "harness": {"url": f"http://127.0.0.1:{self.host.port}"},
        }
        self.folder.mkdir(exist_ok=True)
        with neovim(self.folder, {"settings": settings}) as running:
            # Of every question, the first row is what the user wants.
            running.lua("vim.ui.select = function(items, _, on_choice) on_choice(items[1], 1) end")
            running.nvim.command(f"cd {self.host.cwd}")
            running.open(self.prompt)
            yield running

    def messages(self) -> list[dict[str, Any]]:
        """Prompts and their snapshots in the target's log, in order; not what the host adds."""
        await_quiet(self.host, self.target)
        log = records(self.host, self.target)
        found = [record["data"] for record in log if record["type"] == "user/message"]
        return [each for each in found if each["source"]["kind"] in ("user", "session-reference")]


def desk_with(host: Host, folder: Path) -> Desk:
    caller = HostCaller(host)
    source, target = caller.create(), caller.create()
    await_turn(host, source, caller.prompt(source, "Why does the login fail? \U0001f600 <b>"))
    caller.rename(source, "Fix the login")
    prompt = host.cwd / "ask.dsh.md"
    prompt.write_text(f"---\ndsh:\n  session: {target}\n---\nGo on with \n")
    return Desk(host, source, target, prompt, folder)


def login(editor: Editor, host: Host) -> str:
    editor.nvim.command(f"Dsh login {host.link}")
    return editor.noticed("harness: ")


def ask(editor: Editor, command: str) -> Any:
    """What the server answers to a command about the current buffer."""
    return editor.lua(
        "local client = vim.lsp.get_clients({ name = 'dsh' })[1]"
        " local argument = { uri = vim.uri_from_bufnr(0) }"
        " local params = { command = ..., arguments = { argument } }"
        " local answer = client:request_sync('workspace/executeCommand', params, 20000, 0)"
        " return answer.result",
        command,
    )


def quoted(context: str) -> str:
    """The JSON of a context message. The words before it are each program's own."""
    return context.split(f"{OPENING_TAG}\n", 1)[1].split(f"\n{CLOSING_TAG}", 1)[0]


def test_a_prompt_is_written_checked_sent_and_recorded_once(
    release: Release, start_host: StartHost, tmp_path: Path
) -> None:
    desk = desk_with(start_host(release, NO_TITLES), tmp_path / "editor")
    with desk.editor() as editor:
        if desk.host.token is not None:
            editor.nvim.command("Dsh send")
            assert ":Dsh login takes that link" in editor.noticed("wants a login")
        login(editor, desk.host)
        mention = f"@[Fix the login]({encode(desk.source)})"
        editor.nvim.command("normal! G")
        editor.type("A@login")
        editor.until(lambda: editor.rows()[:1] == ["Fix the login"], lambda: str(editor.rows()))
        editor.type("<C-n><C-y><Esc>")
        editor.until(lambda: mention in editor.lines()[-1], lambda: str(editor.lines()))
        editor.type("oand @[x](dsh-session:!!)<Esc>")
        editor.until(editor.diagnostics)
        editor.type("dd")
        editor.until(lambda: not editor.diagnostics(), lambda: str(editor.diagnostics()))

        predicted = ask(editor, "dsh.prepare")
        editor.nvim.command("Dsh send")
        told = editor.noticed("sent to ")
        assert told == f"dsh: sent to {desk.target}, recorded with 1 snapshot"
        message, snapshot = desk.messages()
        assert message["content"] == [{"type": "text", "text": predicted["text"]}]
        assert quoted(snapshot["content"][0]["text"]) == quoted(predicted["context"])
        assert "Why does the login fail? \U0001f600 \\u003cb" in predicted["context"]
        editor.nvim.command("Dsh outbox")
        editor.noticed("the outbox is empty")
        assert len(desk.messages()) == 2


def test_without_the_harness_a_prompt_is_kept_and_sent_once_it_is_back(
    release: Release, start_host: StartHost, tmp_path: Path
) -> None:
    desk = desk_with(start_host(release, NO_TITLES), tmp_path / "editor")
    text = f"Go on with @[Fix the login]({encode(desk.source)})"
    desk.prompt.write_text(f"---\ndsh:\n  session: {desk.target}\n---\n{text}\n")
    with desk.editor() as editor:
        login(editor, desk.host)
        desk.host.crash()
        before = editor.lines()
        editor.nvim.command("Dsh send")
        told = editor.noticed("not sent")
        assert all(way in told for way in (":Dsh start", ":Dsh login", ":Dsh keep", ":Dsh copy"))
        assert editor.lines() == before
        editor.nvim.command("Dsh keep")
        assert ":Dsh outbox" in editor.noticed(f"kept for {desk.target}")
        desk.host.start()
        login(editor, desk.host)
        editor.noticed("1 kept prompt can be sent now: :Dsh outbox")
        editor.nvim.command("Dsh send")
        editor.noticed("An equal prompt is kept in the outbox")
        assert desk.messages() == []
        editor.nvim.command("Dsh outbox")
        editor.noticed("dsh: sent, recorded")
        message, snapshot = desk.messages()
        assert message["content"] == [{"type": "text", "text": "Go on with @Fix the login\n"}]
        assert snapshot["source"]["kind"] == "session-reference"
        editor.nvim.command("Dsh outbox")
        editor.noticed("the outbox is empty")
        assert len(desk.messages()) == 2


def test_a_host_that_came_back_makes_a_session_for_a_prompt_without_a_target(
    release: Release, start_host: StartHost, tmp_path: Path
) -> None:
    desk = desk_with(start_host(release, NO_TITLES), tmp_path / "editor")
    desk.prompt.write_text("Begin something new\n")
    with desk.editor() as editor:
        login(editor, desk.host)
        known = set(HostCaller(desk.host).list_sessions())
        desk.host.crash()
        desk.host.start()
        editor.nvim.command("Dsh send")  # the first row makes a session
        told = editor.noticed("sent to ")
        (session,) = set(HostCaller(desk.host).list_sessions()) - known
        assert told == f"dsh: sent to {session}, recorded"
        log = eventually(lambda: log_path(desk.host, session), "the log of the new session")
        assert lines_of(log)[0]["cwd"] == str(desk.host.cwd)
        (message,) = replace(desk, target=session).messages()
        assert message["content"] == [{"type": "text", "text": "Begin something new\n"}]
