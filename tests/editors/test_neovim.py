"""The Neovim plugin in a real Neovim, against the installed server."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.harness.delivery.course import begin
from dsh_lsp.harness.delivery.outbox import FolderOutbox
from dsh_lsp.harness.port import Letter, Mode, Outgoing
from dsh_lsp.sessions.frames import LogDecoder
from dsh_lsp.sessions.layout import Compression
from tests.support.desk import Desk
from tests.support.neovim import Editor, neovim


@pytest.fixture
def editor(desk: Desk) -> Iterator[Editor]:
    with neovim(desk.project, {"settings": desk.settings}) as running:
        yield running


@pytest.fixture
def login(desk: Desk) -> str:
    """The URI of a session about a login."""
    return desk.remember(
        "session-login", "Fix the login", "Why does the login fail?", "The cookie is dropped."
    )


def prompt(desk: Desk, text: str = "", name: str = "ask.dsh.md") -> Path:
    path = desk.project / name
    path.write_text(text)
    return path


def records(root: Path) -> list[dict[str, Any]]:
    """Every record of the only log below a store."""
    (path,) = root.rglob("*.zstd")
    decoder = LogDecoder(Compression.ZSTD)
    batches = [*decoder.feed(path.read_bytes()), *decoder.close()]
    return [json.loads(line) for batch in batches for line in batch.lines]


def choose_first(editor: Editor, title: str) -> None:
    """Let `vim.ui.select` take the row that begins with `title`, and keep all rows."""
    editor.lua(
        "local title = ..."
        " vim.ui.select = function(items, options, on_choice)"
        "   _G.offered = vim.tbl_map(options.format_item, items)"
        "   for place, row in ipairs(_G.offered) do"
        "     if vim.startswith(row, title) then return on_choice(items[place], place) end"
        "   end"
        " end",
        title,
    )


def choose_each_first(editor: Editor) -> None:
    """Let `vim.ui.select` take its first row each time, and keep all rows."""
    editor.lua(
        "_G.asked = {}"
        " vim.ui.select = function(items, options, on_choice)"
        "   table.insert(_G.asked, vim.tbl_map(options.format_item, items))"
        "   on_choice(items[1])"
        " end"
    )


def test_the_main_job(desk: Desk, login: str, editor: Editor) -> None:
    editor.open(prompt(desk, "Go on with \n"))

    editor.type("A@")
    editor.until(lambda: any("Fix the login" in row for row in editor.rows()))
    editor.type("login")
    editor.until(lambda: [row for row in editor.rows() if "login" in row.lower()])
    editor.type("<C-n><C-y>")
    mention = f"@[Fix the login]({login})"
    editor.until(lambda: mention in editor.lines()[0], lambda: str(editor.lines()))

    editor.type("<Esc>oand @[x](dsh-session:!!) too<Esc>")
    wrong = editor.until(editor.diagnostics)
    assert [(each["code"], each["lnum"], each["col"]) for each in wrong] == [
        ("SESSION_REFERENCE_INVALID_REFERENCE", 1, 4)
    ]
    editor.nvim.command("normal! dd")
    editor.until(lambda: not editor.diagnostics())

    editor.nvim.command("normal! gg$F@l")
    editor.type("K")
    shown = editor.until(lambda: float_text(editor))
    assert "Fix the login" in shown
    assert "The cookie is dropped." in shown

    editor.nvim.command("Dsh preview")
    editor.until(lambda: editor.nvim.current.buffer.name.startswith("dsh-preview://"))
    assert "<referenced-sessions>" in "\n".join(editor.lines())
    assert not editor.nvim.current.buffer.options["modifiable"]
    editor.nvim.command("close")

    choose_first(editor, "+ new session")
    editor.nvim.command("Dsh target")
    editor.noticed("sending creates a session")
    editor.nvim.command("Dsh send")
    editor.noticed("sent to ")
    messages = [each["data"] for each in records(desk.embedded) if each["type"] == "user/message"]
    assert [message["source"]["kind"] for message in messages] == ["user", "session-reference"]
    assert messages[0]["content"] == [{"type": "text", "text": "Go on with @Fix the login\n"}]


def accept(editor: Editor, keys: str, row: str) -> None:
    """Type, wait until `row` is the first, and take it."""
    editor.type(keys)
    editor.until(lambda: editor.rows()[:1] == [row], lambda: f"rows: {editor.rows()}")
    editor.type("<C-n><C-y>")


def test_a_closing_bracket_behind_the_cursor_is_replaced_too(
    desk: Desk, login: str, editor: Editor
) -> None:
    editor.open(prompt(desk, "🙂 then []. Thanks!\n"))
    editor.nvim.command("normal! 0f]")
    accept(editor, "i<BS>@[fix the", "Fix the login")
    editor.until(lambda: editor.lines() == [f"🙂 then @[Fix the login]({login}). Thanks!"])


def test_a_directory_goes_on_behind_its_slash(desk: Desk, editor: Editor) -> None:
    (desk.project / "my notes").mkdir()
    (desk.project / "my notes" / "to do.txt").touch()
    editor.open(prompt(desk))
    accept(editor, 'i@"my', "my notes/")
    editor.until(lambda: editor.lines() == ['@"my notes/'])
    editor.until(lambda: editor.rows() == ["my notes/to do.txt"])
    editor.type("<C-n><C-y>")
    editor.until(lambda: editor.lines() == ['@"my notes/to do.txt"'])


def test_rows_come_back_after_a_deletion(desk: Desk, login: str, editor: Editor) -> None:
    editor.open(prompt(desk))
    editor.type("i@logiq")
    editor.until(lambda: editor.lines() == ["@logiq"] and not editor.rows())
    editor.type("<BS>")
    editor.until(lambda: editor.rows() == ["Fix the login"])


def test_the_menu_tells_where_a_session_is_from(desk: Desk, editor: Editor) -> None:
    other = Desk(Path("/elsewhere/shop"), desk.home, desk.embedded)
    other.remember("session-cart", "Empty the cart", "How?", "So.")
    editor.open(prompt(desk))
    editor.type("i@cart")
    editor.until(lambda: editor.rows() == ["Empty the cart"])
    assert "/elsewhere/shop" in editor.screen()


def float_text(editor: Editor) -> str:
    """What stands in a floating window."""
    return str(
        editor.lua(
            "for _, window in ipairs(vim.api.nvim_list_wins()) do"
            "  if vim.api.nvim_win_get_config(window).relative ~= '' then"
            "    local buffer = vim.api.nvim_win_get_buf(window)"
            "    return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\\n')"
            "  end"
            " end"
            " return ''"
        )
    )


@pytest.mark.parametrize(
    ("name", "filetype"),
    [
        ("a.dsh.md", "dsh-prompt"),
        ("b.prompt.dsh", "dsh-prompt"),
        ("c.md", "markdown"),
        ("d.dsh", ""),
    ],
)
def test_file_types(desk: Desk, editor: Editor, name: str, filetype: str) -> None:
    editor.nvim.command(f"edit {prompt(desk, name=name)}")
    assert editor.nvim.current.buffer.options["filetype"] == filetype


def test_enter_never_sends(desk: Desk, login: str, editor: Editor) -> None:
    """Neither with rows of which none is chosen, nor with a list that has become empty."""
    editor.open(prompt(desk))
    editor.type("i@")
    editor.until(editor.rows)
    editor.type("<CR>")
    editor.until(lambda: len(editor.lines()) == 2)
    editor.type("@zzzz")
    editor.until(lambda: not editor.rows())
    editor.type("<CR>")
    editor.until(lambda: len(editor.lines()) == 3)
    assert editor.lines() == ["@", "@zzzz", ""]
    time.sleep(0.3)  # a send that should not be would need a moment to show
    assert not desk.embedded.exists() or not list(desk.embedded.rglob("*.zstd"))
    assert editor.notices() == []


@pytest.mark.parametrize("options", [None, {}, {"settings": {}}])
def test_nothing_is_said_where_nothing_is_set(desk: Desk, options: dict[str, Any] | None) -> None:
    with neovim(desk.project, options, DSH_HOME=str(desk.home)) as editor:
        editor.open(prompt(desk, "see @[x](dsh-session:!!)"))
        editor.until(editor.diagnostics)  # so the server has read its settings
        assert editor.nvim.command_output("messages") == ""
        assert editor.notices() == []


def test_markdown_on_request(desk: Desk, login: str) -> None:
    options = {"settings": desk.settings, "markdown": True}
    with neovim(desk.project, options) as editor:
        editor.open(prompt(desk, name="notes.md"))
        assert editor.nvim.current.buffer.options["filetype"] == "markdown"
        editor.type("i@")
        editor.until(editor.rows)
        assert editor.lines() == ["@"]  # no row is taken before one is chosen
        editor.type("<CR>")
        editor.until(lambda: editor.lines() == ["@", ""])


def test_a_buffers_own_completeopt_is_left(desk: Desk) -> None:
    with neovim(desk.project, {"settings": desk.settings}) as editor:
        editor.nvim.command("autocmd FileType dsh-prompt setlocal completeopt=menu")
        editor.open(prompt(desk))
        assert editor.nvim.current.buffer.options["completeopt"] == "menu"


def test_completion_can_be_switched_off(desk: Desk, login: str) -> None:
    options = {"settings": desk.settings, "completion": False}
    with neovim(desk.project, options) as editor:
        editor.open(prompt(desk))
        assert "noselect" not in editor.nvim.options["completeopt"]
        editor.type("i@")
        editor.until(lambda: editor.lines() == ["@"])
        time.sleep(0.5)  # rows that should not come would need a moment
        assert editor.rows() == []
        editor.type("login<C-x><C-o>")  # Vim takes an only row at once
        editor.until(
            lambda: editor.lines() == [f"@[Fix the login]({login})"], lambda: str(editor.lines())
        )


def test_a_range_is_sent_alone(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "one\ntwo 🙂\nthree\n"))
    editor.nvim.command("Dsh target new")
    editor.noticed("sending creates a session")
    editor.nvim.command("2Dsh send steer")
    editor.noticed("sent to ")
    (message,) = [each["data"] for each in records(desk.embedded) if each["type"] == "user/message"]
    assert message["content"] == [{"type": "text", "text": "two 🙂"}]


def test_a_preview_is_renewed_in_its_window(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "one [x] *two*\n", name="a [b] {c}.dsh.md"))
    window = editor.nvim.current.window
    editor.nvim.command("Dsh preview")
    editor.until(lambda: len(editor.nvim.windows) == 2 and "one [x] *two*" in editor.lines())
    editor.nvim.current.window = window
    editor.nvim.current.buffer[:] = ["three"]
    editor.nvim.command("Dsh preview")
    editor.until(lambda: "three" in list(editor.nvim.windows[1].buffer[:]))
    assert len(editor.nvim.windows) == 2


def test_a_refusal_says_why(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "see @[x](dsh-session:!!)"))
    editor.nvim.command("Dsh target new")
    editor.nvim.command("Dsh send")
    assert "not sent" in editor.noticed("not sent")


def test_sending_without_a_target_asks_for_one(desk: Desk, login: str, editor: Editor) -> None:
    editor.open(prompt(desk, "hello\n"))
    choose_first(editor, "+ new session")
    editor.nvim.command("Dsh send")
    editor.noticed("sent to ")
    # What lies in the user's own store can be mentioned, and is no target of this harness.
    assert editor.lua("return _G.offered") == ["+ new session"]


def test_targets_that_look_the_same_show_their_ids(desk: Desk, editor: Editor) -> None:
    sessions = set()
    for name in ("one", "two"):
        editor.open(prompt(desk, "The same words\n", name=f"{name}.dsh.md"))
        editor.nvim.command("Dsh target new")
        editor.nvim.command("Dsh send")
        told = editor.noticed("sent to ")
        sessions.add(re.findall(r"session-[^ ,]+", told)[0])
        editor.lua("_G.notices = {}")
    choose_first(editor, "+ new session")
    editor.nvim.command("Dsh target")
    rows = editor.until(lambda: editor.lua("return _G.offered"))
    assert rows[0] == "+ new session"
    assert {row.split()[-1] for row in rows[1:]} == sessions
    assert all(re.match(r"The same words  \(~, (just now|\d+ \w+ ago)\)", row) for row in rows[1:])


def test_a_choice_beside_front_matter_says_which_holds(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "---\ndsh:\n  session: session-there\n---\nhello\n"))
    editor.nvim.command("Dsh target new")
    assert "front matter goes before a choice: sending goes to session-there" in editor.noticed(
        "front matter"
    )


def test_a_choice_that_front_matter_says_too_is_only_told(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "---\ndsh:\n  session: new\n---\nhello\n"))
    editor.nvim.command("Dsh target new")
    assert editor.noticed("sending") == "dsh: sending creates a session"
    editor.lua("_G.notices = {}")
    editor.nvim.command("Dsh new")
    assert "front matter" not in editor.noticed("sending goes to")


def test_front_matter_that_wants_a_new_session_does_not_trap_a_prompt_to_keep(
    desk: Desk, login: str
) -> None:
    settings = {**desk.settings, "harness": {"mode": "auto"}}
    with neovim(desk.project, {"settings": settings}) as editor:
        editor.open(prompt(desk, "---\ndsh:\n  session: new\n---\nhello\n"))
        editor.nvim.command("Dsh keep")
        assert "in the front matter, where `session` is `new`" in editor.noticed("not kept")
        editor.nvim.command("Dsh target session-login")
        told = editor.noticed("front matter goes before a choice: sending creates a session")
        assert "\n  -> gra writes your choice there" in told
        choose_first(editor, "Write the target session into the front matter")
        editor.type("gra")
        editor.until(lambda: editor.lines()[2] == "  session: session-login")
        editor.nvim.command("Dsh keep")
        editor.noticed("kept for session-login")


def test_a_mention_is_corrected_from_anywhere_in_it(desk: Desk, login: str, editor: Editor) -> None:
    editor.open(prompt(desk, f"see @[Old]({login})\n"))
    editor.until(editor.diagnostics)
    choose_first(editor, "Change the label")
    for place in ("0f@", "$"):
        editor.nvim.command(f"normal! {place}")
        editor.type("gra")
        editor.until(lambda: editor.lines() == [f"see @[Fix the login]({login})"])
        editor.nvim.command("undo")
        editor.until(editor.diagnostics)


def test_without_a_harness_only_that_is_said_and_what_to_do(desk: Desk) -> None:
    settings = {**desk.settings, "harness": {"mode": "auto"}}
    with neovim(desk.project, {"settings": settings}) as editor:
        editor.open(prompt(desk, "hello\n"))
        editor.nvim.command("Dsh send")
        told = editor.noticed("not sent")
        assert all(way in told for way in (":Dsh start", ":Dsh login", ":Dsh keep", ":Dsh copy"))
        assert "dsh." not in told.replace("dsh.harness", "")
        assert len(told.splitlines()) == 4


def test_without_a_harness_a_prompt_is_kept_until_one_is_there(desk: Desk, login: str) -> None:
    settings = {**desk.settings, "harness": {"mode": "auto"}}
    with neovim(desk.project, {"settings": settings}) as editor:
        editor.open(prompt(desk, "keep this\nnot this\n"))
        choose_first(editor, "Fix the login")
        editor.nvim.command("1Dsh keep steer")
        editor.noticed("kept for session-login, not sent yet: :Dsh outbox sends it")
        editor.nvim.command("Dsh status")
        told = editor.noticed("store: ")
        assert "prompts kept: 1, :Dsh outbox sends them" in told
        assert "on their way" not in told
        editor.nvim.command("1Dsh keep")
        editor.noticed(":Dsh outbox shows that prompt, and sends it")
        editor.nvim.command("Dsh target new")
        editor.noticed("sending creates a session")
        editor.nvim.command("Dsh keep")
        editor.noticed("  -> :Dsh target chooses a session, or :Dsh copy")
        choose_each_first(editor)
        editor.nvim.command("Dsh outbox")
        told = editor.noticed("nothing was done:")
        assert ":Dsh start a harness" in told
        assert ":Dsh keep" not in told
        assert editor.lua("return _G.asked") == [
            ["keep this  (it is kept, not sent yet)"],
            ["send it", "forget it"],
        ]


def test_copying_needs_no_target(desk: Desk, login: str, editor: Editor) -> None:
    editor.open(prompt(desk, f"see @[Fix the login]({login}) now\nnot this\n"))
    editor.nvim.command("1Dsh copy")
    editor.noticed("copied")
    copied = editor.nvim.funcs.getreg('"')
    assert "</referenced-sessions>" in copied
    assert copied.endswith("\nsee @Fix the login now")


def test_a_refused_copy_says_why(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "see @[x](dsh-session:!!)"))
    editor.nvim.command("Dsh copy")
    assert "not copied:\n  " in editor.noticed("not copied")


def test_new_session(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "hello\n"))
    editor.nvim.command("Dsh new")
    session = editor.noticed("sending goes to ").rpartition(" ")[2]
    editor.nvim.command("Dsh send")
    editor.noticed(f"sent to {session}")


def test_scratch(desk: Desk, login: str, editor: Editor) -> None:
    editor.nvim.command("Dsh")
    editor.attached()
    assert editor.nvim.current.buffer.name.startswith("untitled:")
    editor.type("i@")
    editor.until(editor.rows)
    editor.type("<Esc>")
    editor.nvim.command("quit")  # no question about unsaved changes
    editor.nvim.command("Dsh scratch")
    editor.attached()
    assert editor.lines() == [""]
    assert editor.lua("return #vim.lsp.get_clients({ name = 'dsh' })") == 1
    editor.nvim.command("quit")
    editor.nvim.command("Dsh")
    assert editor.lines() == ["@"]  # the one that was left
    editor.nvim.command("write kept.dsh.md")
    assert (desk.project / "kept.dsh.md").read_text() == "@\n"
    editor.nvim.command("Dsh")
    assert editor.lines() == [""]  # that one is in a window, and another one is empty


def test_status(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk))
    editor.nvim.command("Dsh status")
    told = editor.noticed("store: ")
    assert f"store: {desk.home / 'sessions'} (0 sessions)" in told
    assert "harness: dsh-lsp embedded" in told
    assert "no target yet" in told
    assert "budget of a mention: 65536 bytes" in told


def test_status_without_a_harness(desk: Desk) -> None:
    settings = {**desk.settings, "harness": {"mode": "off"}}
    with neovim(desk.project, {"settings": settings}) as editor:
        editor.open(prompt(desk))
        editor.nvim.command("Dsh status")
        assert "harness: none (mode off): " in editor.noticed("harness: ")
        editor.nvim.command("Dsh target new")
        editor.noticed("sending creates a session")
        editor.nvim.command("Dsh send")
        assert "switched off" in editor.noticed("not sent")


LINK = "http://127.0.0.1:9/?token=secret-of-a-test"


ROOT = Path(__file__).parents[2]
RECIPES = {
    ROOT / "docs" / "editors" / "neovim.md": r"```lua\n([^`]*LspProgress[^`]*)```",
    ROOT / "editors" / "neovim" / "doc" / "dsh.txt": r">lua\n([^<]*LspProgress[^<]*)\n<",
}


def progress(editor: Editor, kind: str, **more: str) -> None:
    """Hear of progress as from the server; what it does itself may be over before one looks."""
    editor.lua(
        "local value = ..."
        " local id = vim.lsp.get_clients({ name = 'dsh' })[1].id"
        " local params = { token = 'of-a-test', value = value }"
        " vim.lsp.handlers['$/progress'](nil, params, { client_id = id })",
        {"kind": kind, **more},
    )


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.name)
def test_the_status_line_of_the_texts_shows_progress(
    desk: Desk, editor: Editor, page: Path
) -> None:
    (recipe,) = re.findall(RECIPES[page], page.read_text())
    editor.open(prompt(desk))
    editor.lua(f"vim.o.laststatus = 2\n{recipe}")
    progress(editor, "begin", title="Sending", message="100% sure")
    assert "Sending: 100% sure" in editor.screen()
    progress(editor, "report", message="the harness has it")
    assert "Sending: the harness has it" in editor.screen()
    progress(editor, "end")
    assert "Sending" not in editor.screen()


@pytest.mark.parametrize("typed", [f":Dsh login {LINK}<CR>", f":Dsh login<CR>{LINK}<CR>"])
def test_a_login_tells_its_outcome_and_leaves_no_link(desk: Desk, typed: str) -> None:
    settings = {**desk.settings, "harness": {"mode": "auto"}}
    with neovim(desk.project, {"settings": settings}) as editor:
        editor.open(prompt(desk))
        editor.nvim.command("new")  # a buffer that is no prompt
        editor.type(":let g:other = 1<CR>")
        editor.type(typed)
        editor.noticed("no harness: no harness answers")
        assert "secret" not in str(editor.notices())
        editor.nvim.command(f"wshada! {desk.project}/kept.shada")
    kept = {path.name: path.read_bytes() for path in desk.project.rglob("*") if path.is_file()}
    assert b"let g:other = 1" in kept["kept.shada"]
    assert [name for name, content in kept.items() if b"secret-of-a-test" in content] == []


def test_starting_a_harness_tells_its_outcome(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk))
    editor.nvim.command("Dsh start")
    assert "starts no harness" in editor.noticed("none was started: ")


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "harness: dsh 1"),
        (1, "harness: dsh 1\n  1 kept prompt can be sent now: :Dsh outbox"),
        (2, "harness: dsh 1\n  2 kept prompts can be sent now: :Dsh outbox"),
    ],
)
def test_a_harness_that_comes_is_told_with_what_waits_for_it(
    editor: Editor, count: int, told: str
) -> None:
    editor.lua(
        "local count = ..."
        " require('dsh.server').execute_anywhere = function(_, _, on_result)"
        "   on_result({ harness = { name = 'dsh', version = '1' }, keptPrompts = count })"
        " end",
        count,
    )
    editor.nvim.command("Dsh start")
    assert editor.notices() == ["dsh: starting a harness ...", f"dsh: {told}"]


def test_a_kept_prompt_is_sent_from_the_outbox(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "for later\n"))
    editor.nvim.command("Dsh new")
    editor.noticed("sending goes to")
    editor.nvim.command("Dsh keep")
    editor.noticed("kept for session-")
    assert [each["type"] for each in records(desk.embedded)].count("user/message") == 0
    editor.nvim.current.buffer[:] = ["another text"]
    choose_each_first(editor)
    editor.nvim.command("Dsh outbox")
    editor.noticed("dsh: sent, recorded")
    (message,) = [each["data"] for each in records(desk.embedded) if each["type"] == "user/message"]
    assert message["content"] == [{"type": "text", "text": "for later\n"}]
    editor.nvim.command("Dsh outbox")
    editor.noticed("the outbox is empty")


def leave(desk: Desk, request_id: str, session: str, text: str) -> None:
    """Put a prompt into the outbox, as a server that died would."""
    intent = begin(Letter(Outgoing(request_id, session, text, Mode.QUEUE)), 5)
    with FolderOutbox(desk.embedded / "outbox").hold(request_id) as entry:
        entry.write(intent)


def test_the_outbox_sends_again_and_forgets(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk, "hello\n"))
    editor.nvim.command("Dsh outbox")
    editor.noticed("the outbox is empty")
    editor.nvim.command("Dsh new")
    editor.noticed("sending goes to")
    (log,) = (desk.embedded / "sessions").glob("*/*")
    leave(desk, "one", log.name, "Lost\x1b[31m\nprompt " + "x" * 90)
    choose_each_first(editor)
    editor.nvim.command("Dsh outbox")
    editor.noticed("sent again, recorded")
    (row,), deeds = editor.lua("return _G.asked")
    assert re.fullmatch(r"Lost \[31m prompt x{18,}…  \(its session does not have it, .*\)", row)
    assert deeds == ["send it again", "forget it"]
    assert [each["type"] for each in records(desk.embedded)].count("user/message") == 1

    leave(desk, "two", "session-elsewhere", "Never settled")
    editor.nvim.command("Dsh outbox")
    editor.noticed("forgotten")
    assert editor.lua("return _G.asked[4]") == ["forget it"]
    assert not list((desk.embedded / "outbox").glob("*.json"))


def test_what_a_start_tells_of_the_outbox_names_its_command_here(desk: Desk) -> None:
    with neovim(desk.project, {"settings": desk.settings}) as editor:
        editor.open(prompt(desk))
        editor.nvim.command("Dsh new")
        editor.noticed("sending goes to")
    (log,) = (desk.embedded / "sessions").glob("*/*")
    leave(desk, "one", log.name, "Lost")
    with neovim(desk.project, {"settings": desk.settings}) as editor:
        editor.open(prompt(desk))
        editor.until(lambda: "“Lost”" in messages(editor))
        assert "`:Dsh outbox` lists them, sends one again, or forgets one." in messages(editor)
        editor.nvim.command("Dsh status")
        assert "prompts on their way: 1\n" in editor.noticed("store: ") + "\n"


def messages(editor: Editor) -> str:
    said = editor.nvim.command_output("messages")
    assert isinstance(said, str)
    return said


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Dsh fly", "there is no :Dsh fly"),
        ("Dsh send queue now", "too many words"),
        ("1Dsh status", "takes no range"),
        ("Dsh login one two", "too many words"),
        ("Dsh status", "no server is attached"),
        ("Dsh outbox", "no server runs"),
    ],
)
def test_wrong_commands_are_explained(editor: Editor, line: str, complaint: str) -> None:
    editor.nvim.command(line)
    assert [complaint in notice for notice in editor.notices()] == [True]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (
            "Dsh ",
            [
                *("copy", "keep", "login", "new", "outbox", "preview"),
                *("scratch", "send", "start", "status", "target"),
            ],
        ),
        ("Dsh s", ["scratch", "send", "start", "status"]),
        ("Dsh send ", ["queue", "steer"]),
        ("%Dsh send s", ["steer"]),
        ("Dsh keep ", ["queue", "steer"]),
        ("Dsh target ", ["new"]),
        ("Dsh status ", []),
        ("Dsh send queue ", []),
    ],
)
def test_subcommands_complete(editor: Editor, typed: str, offered: list[str]) -> None:
    assert editor.nvim.funcs.getcompletion(typed, "cmdline") == offered


def health(editor: Editor) -> str:
    editor.nvim.command("checkhealth dsh")
    return "\n".join(editor.lines())


def test_health_of_a_working_setup(desk: Desk, login: str, editor: Editor) -> None:
    editor.open(prompt(desk))
    editor.nvim.command("Dsh new")
    editor.noticed("sending goes to ")
    report = health(editor)
    assert "ERROR" not in report
    assert "WARNING" not in report
    assert "Neovim 0.11" in report
    assert report.count("dsh-lsp 0.") == 1
    assert str(desk.home / "sessions") in report


def test_health_without_a_store(desk: Desk, editor: Editor) -> None:
    editor.open(prompt(desk))
    assert f"WARNING {desk.home / 'sessions'}: there is no session store" in health(editor)


def test_health_names_wrong_settings_and_a_missing_harness(desk: Desk) -> None:
    settings = {**desk.settings, "harness": {"mode": "off"}, "colour": "blue"}
    with neovim(desk.project, {"settings": settings}) as editor:
        editor.open(prompt(desk))
        report = health(editor)
        assert re.search(r"WARNING setting dsh\.colour: there is no such setting", report)
        assert re.search(r"WARNING harness: none \(mode off\)", report)


def test_health_of_a_broken_setup(desk: Desk) -> None:
    options = {"cmd": ["no-such-dsh-lsp"], "settings": [1], "markdown": "yes", "colour": "blue"}
    with neovim(desk.project, options) as editor:
        editor.nvim.command(f"edit {prompt(desk)}")
        report = health(editor)
    for part in (
        "no-such-dsh-lsp",
        "vim.g.dsh.settings must be a table with names",
        "vim.g.dsh.markdown must be true or false",
        "vim.g.dsh.colour is not an option; the options are cmd, completion, markdown, settings",
        "No server is running",
    ):
        assert part in report


def test_a_missing_server_is_named_once_and_to_whoever_asks(desk: Desk) -> None:
    missing = (
        "dsh: no-such-dsh-lsp cannot be run: install it (:help dsh-setup), or name it in "
        "vim.g.dsh.cmd"
    )
    with neovim(desk.project, {"cmd": ["no-such-dsh-lsp"]}) as editor:
        editor.nvim.command(f"edit {prompt(desk, name='notes.md')}")
        assert editor.notices() == []
        editor.nvim.command(f"edit {prompt(desk)}")
        editor.nvim.command("Dsh scratch")
        assert editor.notices() == [missing]
        editor.nvim.command("Dsh send")
        assert editor.notices() == [missing, missing]


def test_help_tags_are_up_to_date(tmp_path: Path, editor: Editor) -> None:
    """They are committed, so that `:help dsh` works from a plain clone."""
    folder = Path(
        editor.lua("return vim.api.nvim_get_runtime_file('doc/dsh.txt', false)[1]")
    ).parent
    (tmp_path / "dsh.txt").write_text((folder / "dsh.txt").read_text())
    editor.nvim.command(f"helptags {tmp_path}")
    assert (tmp_path / "tags").read_text() == (folder / "tags").read_text()
